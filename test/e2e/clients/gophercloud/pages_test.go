package gophercloud

import (
	"testing"

	"github.com/gophercloud/gophercloud/v2/openstack/containerinfra/v1/clusters"
	"github.com/gophercloud/gophercloud/v2/openstack/containerinfra/v1/nodegroups"
	"github.com/gophercloud/gophercloud/v2/pagination"
)

func all(t *testing.T, pager pagination.Pager) []clusters.Cluster {
	t.Helper()
	pages := must[pagination.Page](t, "pages")(pager.AllPages(ctx))
	return must[[]clusters.Cluster](t, "clusters")(clusters.ExtractClusters(pages))
}

func groupsOf(pager pagination.Pager) ([]nodegroups.NodeGroup, error) {
	pages, err := pager.AllPages(ctx)
	if err != nil {
		return nil, err
	}
	return nodegroups.ExtractNodeGroups(pages)
}

func waitForGroup(t *testing.T, cluster, id, pending, target string) {
	t.Helper()
	wait(t, pending, target, func() (string, error) {
		group, err := nodegroups.Get(ctx, service("1.9"), cluster, id).Extract()
		if err != nil {
			return "", err
		}
		return group.Status, nil
	})
}
