// Package identity logs in to fedplane with gophercloud as it is, as the Terraform provider does: through the identity facade. OS_AUTH_URL and the
// other variables are those of openrc files.
package identity

import (
	"context"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/containerinfra/v1/clusters"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/applicationcredentials"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/projects"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"
)

var background = context.Background()

func options() gophercloud.AuthOptions {
	return gophercloud.AuthOptions{
		IdentityEndpoint: os.Getenv("OS_AUTH_URL"),
		Username:         os.Getenv("OS_USERNAME"),
		Password:         os.Getenv("OS_PASSWORD"),
		DomainName:       "Default",
		Scope:            &gophercloud.AuthScope{ProjectName: os.Getenv("OS_PROJECT_NAME"), DomainName: "Default"},
		AllowReauth:      true,
	}
}

func login(t *testing.T, options gophercloud.AuthOptions) *gophercloud.ProviderClient {
	t.Helper()
	provider, err := openstack.AuthenticatedClient(background, options)
	if err != nil {
		t.Fatalf("login: %v", err)
	}
	return provider
}

// listClusters looks the service up in the catalog, and lists its clusters.
func listClusters(t *testing.T, provider *gophercloud.ProviderClient) {
	t.Helper()
	service, err := openstack.NewContainerInfraV1(provider, gophercloud.EndpointOpts{Region: "RegionOne"})
	if err != nil {
		t.Fatalf("catalog: %v", err)
	}
	if !strings.HasSuffix(service.Endpoint, "/v1/") {
		t.Fatalf("the endpoint is %s", service.Endpoint)
	}
	pages, err := clusters.List(service, nil).AllPages(background)
	if err != nil {
		t.Fatalf("list: %v", err)
	}
	if _, err := clusters.ExtractClusters(pages); err != nil {
		t.Fatalf("extract: %v", err)
	}
}

func TestPassword(t *testing.T) {
	listClusters(t, login(t, options()))
}

func TestVersionInTheAddress(t *testing.T) {
	with := options()
	with.IdentityEndpoint = strings.TrimSuffix(with.IdentityEndpoint, "/") + "/v3"
	listClusters(t, login(t, with))
}

func TestToken(t *testing.T) {
	first := login(t, options())
	with := options()
	with.Username, with.Password, with.DomainName, with.AllowReauth = "", "", "", false
	with.TokenID = first.Token()
	listClusters(t, login(t, with))
}

func TestWrongPassword(t *testing.T) {
	with := options()
	with.Password = "wrong"
	if _, err := openstack.AuthenticatedClient(background, with); !gophercloud.ResponseCodeIs(err, http.StatusUnauthorized) {
		t.Fatalf("the error is %v", err)
	}
}

func TestApplicationCredential(t *testing.T) {
	provider := login(t, options())
	service, err := openstack.NewIdentityV3(provider, gophercloud.EndpointOpts{Region: "RegionOne"})
	if err != nil {
		t.Fatalf("catalog: %v", err)
	}
	user, err := tokens.Get(background, service, provider.Token()).ExtractUser()
	if err != nil {
		t.Fatalf("token: %v", err)
	}
	made, err := applicationcredentials.Create(background, service, user.ID, applicationcredentials.CreateOpts{Name: "terraform"}).Extract()
	if err != nil {
		t.Fatalf("create: %v", err)
	}
	listClusters(t, login(t, gophercloud.AuthOptions{
		IdentityEndpoint:            os.Getenv("OS_AUTH_URL"),
		ApplicationCredentialID:     made.ID,
		ApplicationCredentialSecret: made.Secret,
		AllowReauth:                 true,
	}))
	shown, err := applicationcredentials.Get(background, service, user.ID, made.ID).Extract()
	if err != nil || shown.Secret != "" || shown.Name != "terraform" {
		t.Fatalf("show: %v %v", shown, err)
	}
	if err := applicationcredentials.Delete(background, service, user.ID, made.ID).ExtractErr(); err != nil {
		t.Fatalf("delete: %v", err)
	}
}

func TestProjects(t *testing.T) {
	service, err := openstack.NewIdentityV3(login(t, options()), gophercloud.EndpointOpts{Region: "RegionOne"})
	if err != nil {
		t.Fatalf("catalog: %v", err)
	}
	pages, err := projects.ListAvailable(service).AllPages(background)
	if err != nil {
		t.Fatalf("list: %v", err)
	}
	all, err := projects.ExtractProjects(pages)
	if err != nil || len(all) != 2 {
		t.Fatalf("projects: %v %v", all, err)
	}
}

// A token that is not taken any more is replaced within the call, as during a long apply.
func TestLoginAgain(t *testing.T) {
	provider := login(t, options())
	service, err := openstack.NewIdentityV3(provider, gophercloud.EndpointOpts{Region: "RegionOne"})
	if err != nil {
		t.Fatalf("catalog: %v", err)
	}
	before := provider.Token()
	if err := tokens.Revoke(background, service, before).Err; err != nil {
		t.Fatalf("revoke: %v", err)
	}
	listClusters(t, provider)
	if provider.Token() == before {
		t.Fatal("the revoked token is still in use")
	}
}
