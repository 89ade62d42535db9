// Package gophercloud drives fedplane with gophercloud as it is, without Keystone: magnum-rest.md 10.2. FEDPLANE_URL has no /v1.
package gophercloud

import (
	"context"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/containerinfra/v1/clusters"
	"github.com/gophercloud/gophercloud/v2/openstack/containerinfra/v1/clustertemplates"
)

// Clusters of this template take a second for everything, so that work in progress is seen.
var delays = map[string]string{
	"kube_tag":                    "v1.35.0",
	"memory-delay-seconds":        "1",
	"memory-update-delay-seconds": "1",
	"memory-delete-delay-seconds": "1",
}

const pollInterval = 100 * time.Millisecond
const patience = time.Minute

// service is a client that sends the microversion, or none when it is empty.
func service(microversion string) *gophercloud.ServiceClient {
	return &gophercloud.ServiceClient{
		ProviderClient: &gophercloud.ProviderClient{TokenID: "token"},
		Endpoint:       os.Getenv("FEDPLANE_URL") + "/v1/",
		Type:           "container-infra",
		Microversion:   microversion,
	}
}

// must ends the test when a request was not answered as gophercloud accepts it.
func must[T any](t *testing.T, what string) func(T, error) T {
	t.Helper()
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		return value
	}
}

func equal[T comparable](t *testing.T, what string, got, wanted T) {
	t.Helper()
	if got != wanted {
		t.Fatalf("%s is %v, not %v", what, got, wanted)
	}
}

func notFound(err error) bool { return gophercloud.ResponseCodeIs(err, http.StatusNotFound) }

// wait polls at once and then again, as the Terraform provider does: a status that is neither pending nor the target is a failure.
func wait(t *testing.T, pending, target string, status func() (string, error)) {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(pollInterval) {
		now, err := status()
		if notFound(err) {
			now = "DELETE_COMPLETE"
		} else if err != nil {
			t.Fatalf("waiting for %s: %v", target, err)
		}
		if now == target {
			return
		}
		if now != pending {
			t.Fatalf("waiting for %s: unexpected state %s, only %s may come before", target, now, pending)
		}
	}
	t.Fatalf("waiting for %s: not within %s", target, patience)
}

func waitForCluster(t *testing.T, id, pending, target string) {
	t.Helper()
	wait(t, pending, target, func() (string, error) {
		cluster, err := clusters.Get(context.Background(), service(""), id).Extract()
		if err != nil {
			return "", err
		}
		return cluster.Status, nil
	})
}

func createTemplate(t *testing.T, name, version string) *clustertemplates.ClusterTemplate {
	t.Helper()
	labels := map[string]string{}
	for key, value := range delays {
		labels[key] = value
	}
	labels["kube_tag"] = version
	options := clustertemplates.CreateOpts{Name: name, COE: "kubernetes", ImageID: "none", Labels: labels}
	created := clustertemplates.Create(context.Background(), service(""), options)
	return must[*clustertemplates.ClusterTemplate](t, "create template")(created.Extract())
}

// createCluster waits until it is complete.
func createCluster(t *testing.T, options clusters.CreateOpts) string {
	t.Helper()
	id := must[string](t, "create cluster")(clusters.Create(context.Background(), service(""), options).Extract())
	waitForCluster(t, id, "CREATE_IN_PROGRESS", "CREATE_COMPLETE")
	return id
}

func deleteCluster(t *testing.T, id string) {
	t.Helper()
	if err := clusters.Delete(context.Background(), service(""), id).ExtractErr(); err != nil {
		t.Fatalf("delete cluster: %v", err)
	}
	waitForCluster(t, id, "DELETE_IN_PROGRESS", "DELETE_COMPLETE")
}
