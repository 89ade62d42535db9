package gophercloud

import (
	"context"
	"slices"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/containerinfra/v1/certificates"
	"github.com/gophercloud/gophercloud/v2/openstack/containerinfra/v1/clusters"
	"github.com/gophercloud/gophercloud/v2/openstack/containerinfra/v1/clustertemplates"
	"github.com/gophercloud/gophercloud/v2/openstack/containerinfra/v1/nodegroups"
	"github.com/gophercloud/gophercloud/v2/openstack/containerinfra/v1/quotas"
)

var ctx = context.Background()

func TestClusterTemplates(t *testing.T) {
	t.Parallel()
	made := createTemplate(t, "templates", "v1.35.0")
	equal(t, "name", made.Name, "templates")
	changes := []clustertemplates.UpdateOpts{
		{Op: clustertemplates.ReplaceOp, Path: "/master_lb_enabled", Value: "true"},
		{Op: clustertemplates.ReplaceOp, Path: "/labels", Value: "{'k':'v'}"},
		{Op: clustertemplates.ReplaceOp, Path: "/docker_volume_size", Value: 7},
		{Op: clustertemplates.RemoveOp, Path: "/flavor_id"},
	}
	must[*clustertemplates.ClusterTemplate](t, "update")(clustertemplates.Update(ctx, service(""), made.UUID, changes).Extract())
	shown := must[*clustertemplates.ClusterTemplate](t, "get by name")(clustertemplates.Get(ctx, service(""), "templates").Extract())
	equal(t, "master_lb_enabled", shown.MasterLBEnabled, true)
	equal(t, "label k", shown.Labels["k"], "v")
	equal(t, "docker_volume_size", shown.DockerVolumeSize, 7)
	if err := clustertemplates.Delete(ctx, service(""), made.UUID).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	if _, err := clustertemplates.Get(ctx, service(""), made.UUID).Extract(); !notFound(err) {
		t.Fatalf("a deleted template is not 404: %v", err)
	}
}

func TestClusters(t *testing.T) {
	t.Parallel()
	template := createTemplate(t, "clusters", "v1.35.0")
	// Without a name the client sends "", without a timeout null.
	id := createCluster(t, clusters.CreateOpts{ClusterTemplateID: template.UUID})
	cluster := must[*clusters.Cluster](t, "get")(clusters.Get(ctx, service("1.13"), id).Extract())
	if cluster.Name == "" || cluster.NodeCount != 1 || len(cluster.NodeAddresses) != 1 {
		t.Fatalf("unexpected cluster %+v", cluster)
	}
	two := 2
	resized := clusters.Resize(ctx, service("1.7"), id, clusters.ResizeOpts{NodeCount: &two})
	equal(t, "resized", must[string](t, "resize")(resized.Extract()), id)
	waitForCluster(t, id, "UPDATE_IN_PROGRESS", "UPDATE_COMPLETE")
	health := []clusters.UpdateOpts{
		{Op: clusters.ReplaceOp, Path: "/health_status", Value: "UNHEALTHY"},
		{Op: clusters.ReplaceOp, Path: "/health_status_reason", Value: `{"api": "ok", "node.Ready": "False"}`},
	}
	must[string](t, "health")(clusters.Update(ctx, service("1.10"), id, health).Extract())
	unhealthy := must[*clusters.Cluster](t, "get")(clusters.Get(ctx, service(""), id).Extract())
	equal(t, "health_status", unhealthy.HealthStatus, "UNHEALTHY")
	equal(t, "node_count", unhealthy.NodeCount, 2)
	deleteCluster(t, id)
}

func TestFailedCluster(t *testing.T) {
	t.Parallel()
	template := createTemplate(t, "failing", "v1.35.0")
	options := clusters.CreateOpts{ClusterTemplateID: template.UUID, Labels: map[string]string{"memory-fail-phase": "provision"}}
	id := must[string](t, "create")(clusters.Create(ctx, service(""), options).Extract())
	waitForCluster(t, id, "CREATE_IN_PROGRESS", "CREATE_FAILED")
	// Decodes faults, too, which must be a map of texts.
	failed := must[*clusters.Cluster](t, "get")(clusters.Get(ctx, service(""), id).Extract())
	if failed.StatusReason == "" || len(failed.Faults) == 0 {
		t.Fatalf("no reason in %+v", failed)
	}
	deleteCluster(t, id)
}

// TestPages does not run beside others: a cluster that is deleted meanwhile is no marker any more.
func TestPages(t *testing.T) {
	template := createTemplate(t, "pages", "v1.35.0")
	ids := []string{}
	for range 3 {
		created := clusters.Create(ctx, service(""), clusters.CreateOpts{ClusterTemplateID: template.UUID})
		ids = append(ids, must[string](t, "create")(created.Extract()))
	}
	for name, list := range map[string]func(*gophercloud.ServiceClient, clusters.ListOptsBuilder) []clusters.Cluster{
		"list": func(c *gophercloud.ServiceClient, o clusters.ListOptsBuilder) []clusters.Cluster {
			return all(t, clusters.List(c, o))
		},
		"detail": func(c *gophercloud.ServiceClient, o clusters.ListOptsBuilder) []clusters.Cluster {
			return all(t, clusters.ListDetail(c, o))
		},
	} {
		listed := []string{}
		for _, cluster := range list(service(""), clusters.ListOpts{Limit: 1}) {
			listed = append(listed, cluster.UUID)
		}
		for _, id := range ids {
			if !slices.Contains(listed, id) {
				t.Fatalf("%s lacks %s: %v", name, id, listed)
			}
		}
	}
	for _, id := range ids {
		waitForCluster(t, id, "CREATE_IN_PROGRESS", "CREATE_COMPLETE")
		deleteCluster(t, id)
	}
}

func TestNodeGroups(t *testing.T) {
	t.Parallel()
	template := createTemplate(t, "groups", "v1.35.0")
	id := createCluster(t, clusters.CreateOpts{ClusterTemplateID: template.UUID, Name: "groups"})
	most := 3
	options := nodegroups.CreateOpts{Name: "gpu", Role: "gpu", MaxNodeCount: &most, Labels: map[string]string{"zone": "a"}}
	made := must[*nodegroups.NodeGroup](t, "create")(nodegroups.Create(ctx, service("1.9"), id, options).Extract())
	equal(t, "status", made.Status, "CREATE_IN_PROGRESS")
	waitForGroup(t, id, made.UUID, "CREATE_IN_PROGRESS", "CREATE_COMPLETE")
	pages := must[[]nodegroups.NodeGroup](t, "list")(groupsOf(nodegroups.List(service("1.9"), id, nodegroups.ListOpts{Limit: 1, Role: "gpu"})))
	if len(pages) != 1 || pages[0].Name != "gpu" || *pages[0].MaxNodeCount != 3 {
		t.Fatalf("unexpected list %+v", pages)
	}
	deleteCluster(t, id)
}

func TestCertificates(t *testing.T) {
	t.Parallel()
	template := createTemplate(t, "certificates", "v1.35.0")
	id := createCluster(t, clusters.CreateOpts{ClusterTemplateID: template.UUID})
	before := must[*certificates.Certificate](t, "get")(certificates.Get(ctx, service(""), id).Extract())
	if err := certificates.Update(ctx, service(""), id).ExtractErr(); err != nil {
		t.Fatalf("rotate: %v", err)
	}
	waitForCluster(t, id, "UPDATE_IN_PROGRESS", "UPDATE_COMPLETE")
	after := must[*certificates.Certificate](t, "get")(certificates.Get(ctx, service(""), id).Extract())
	if before.PEM == after.PEM {
		t.Fatal("the authority was not replaced")
	}
	deleteCluster(t, id)
}

func TestQuotas(t *testing.T) {
	t.Parallel()
	options := quotas.CreateOpts{ProjectID: "gopher", Resource: "Cluster", HardLimit: 7}
	quota := must[*quotas.Quotas](t, "create")(quotas.Create(ctx, service(""), options).Extract())
	equal(t, "hard_limit", quota.HardLimit, 7)
	if quota.ID == "" || quota.CreatedAt.IsZero() {
		t.Fatalf("unexpected quota %+v", quota)
	}
}
