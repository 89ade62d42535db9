package gophercloud

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"strings"
	"testing"

	"github.com/gophercloud/gophercloud/v2/openstack/containerinfra/v1/certificates"
	"github.com/gophercloud/gophercloud/v2/openstack/containerinfra/v1/clusters"
	"github.com/gophercloud/gophercloud/v2/openstack/containerinfra/v1/clustertemplates"
	"github.com/gophercloud/gophercloud/v2/openstack/containerinfra/v1/nodegroups"
)

// What terraform-provider-openstack sends and expects, resource by resource: magnum-rest.md 10.3. The provider itself can't run without Keystone.

// readCluster is what the provider does after each change, and at `terraform plan`.
func readCluster(t *testing.T, id string, workers int) *clusters.Cluster {
	t.Helper()
	cluster := must[*clusters.Cluster](t, "read")(clusters.Get(ctx, service(""), id).Extract())
	if cluster.StackID == "" || cluster.CreatedAt.IsZero() || cluster.APIAddress == "" {
		t.Fatalf("no stack_id, created_at or api_address in %+v", cluster)
	}
	groups := must[[]nodegroups.NodeGroup](t, "node groups")(groupsOf(nodegroups.List(service("1.9"), id, nodegroups.ListOpts{})))
	for _, group := range groups {
		if group.IsDefault && group.Role != "master" {
			equal(t, "node count of the default workers", group.NodeCount, workers)
			return cluster
		}
	}
	t.Fatalf("no default workers in %+v", groups)
	return nil
}

// kubeconfigOf is the rest of a read without a client certificate in the state: each failure fails the read.
func kubeconfigOf(t *testing.T, id string) {
	t.Helper()
	key := must[*rsa.PrivateKey](t, "key")(rsa.GenerateKey(rand.Reader, 4096))
	template := x509.CertificateRequest{
		SignatureAlgorithm: x509.SHA512WithRSA,
		Subject: pkix.Name{
			CommonName:         "admin",
			Organization:       []string{"system:masters"},
			OrganizationalUnit: []string{"terraform"},
		},
	}
	csr := must[[]byte](t, "signing request")(x509.CreateCertificateRequest(rand.Reader, &template, key))
	text := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: csr}))
	authority := must[*certificates.Certificate](t, "authority")(certificates.Get(ctx, service(""), id).Extract())
	options := certificates.CreateOpts{ClusterUUID: id, CSR: text}
	signed := must[*certificates.Certificate](t, "sign")(certificates.Create(ctx, service(""), options).Extract())
	made := must[*x509.Certificate](t, "certificate")(parse(signed.PEM))
	ca := must[*x509.Certificate](t, "authority")(parse(authority.PEM))
	roots := x509.NewCertPool()
	roots.AddCert(ca)
	usages := []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	if _, err := made.Verify(x509.VerifyOptions{Roots: roots, KeyUsages: usages}); err != nil {
		t.Fatalf("the certificate does not verify: %v", err)
	}
	equal(t, "common name", made.Subject.CommonName, "admin")
	equal(t, "organization", made.Subject.Organization[0], "system:masters")
	if !key.PublicKey.Equal(made.PublicKey) {
		t.Fatal("the certificate has another key")
	}
}

func parse(text string) (*x509.Certificate, error) {
	block, _ := pem.Decode([]byte(text))
	return x509.ParseCertificate(block.Bytes)
}

func replaceNodeCount(t *testing.T, microversion, id string, value any) {
	t.Helper()
	changes := []clusters.UpdateOpts{{Op: clusters.ReplaceOp, Path: "/node_count", Value: value}}
	must[string](t, "update")(clusters.Update(ctx, service(microversion), id, changes).Extract())
	waitForCluster(t, id, "UPDATE_IN_PROGRESS", "UPDATE_COMPLETE")
}

func TestTerraformCluster(t *testing.T) {
	t.Parallel()
	template := createTemplate(t, "terraform", "v1.35.0")
	two := 2
	id := createCluster(t, clusters.CreateOpts{ClusterTemplateID: template.UUID, Name: "terraform", NodeCount: &two})
	readCluster(t, id, 2)
	kubeconfigOf(t, id)
	replaceNodeCount(t, "", id, 3)
	readCluster(t, id, 3)
	// Early releases send text, which Magnum reads as the number that it is; the reason for anything else is what the provider shows.
	text := []clusters.UpdateOpts{{Op: clusters.ReplaceOp, Path: "/node_count", Value: "one"}}
	if _, err := clusters.Update(ctx, service(""), id, text).Extract(); err == nil || !strings.Contains(err.Error(), "must be an integer") {
		t.Fatalf("text that is no number: %v", err)
	}
	replaceNodeCount(t, "", id, "1")
	readCluster(t, id, 1)
	replaceNodeCount(t, "1.10", id, 0)
	readCluster(t, id, 0)
	newer := createTemplate(t, "terraform-newer", "v1.36.0")
	upgrade := clusters.UpgradeOpts{ClusterTemplate: newer.UUID}
	must[string](t, "upgrade")(clusters.Upgrade(ctx, service("1.8"), id, upgrade).Extract())
	waitForCluster(t, id, "UPDATE_IN_PROGRESS", "UPDATE_COMPLETE")
	upgraded := readCluster(t, id, 0)
	equal(t, "template", upgraded.ClusterTemplateID, newer.UUID)
	equal(t, "version", upgraded.COEVersion, "v1.36.0")
	deleteCluster(t, id)
}

func TestTerraformClusterWithoutWorkers(t *testing.T) {
	t.Parallel()
	template := createTemplate(t, "terraform-zero", "v1.35.0")
	zero, merge := 0, true
	labels := map[string]string{"zone": "a", "kube_tag": "v1.36.0"}
	options := clusters.CreateOpts{ClusterTemplateID: template.UUID, NodeCount: &zero, Labels: labels, MergeLabels: &merge}
	id := must[string](t, "create")(clusters.Create(ctx, service("1.10"), options).Extract())
	waitForCluster(t, id, "CREATE_IN_PROGRESS", "CREATE_COMPLETE")
	cluster := readCluster(t, id, 0)
	// With merge_labels the provider makes its labels of these three.
	equal(t, "added", cluster.LabelsAdded["zone"], "a")
	equal(t, "overridden", cluster.LabelsOverridden["kube_tag"], "v1.35.0")
	equal(t, "skipped", len(cluster.LabelsSkipped), 0)
	deleteCluster(t, id)
}

func TestTerraformNodeGroup(t *testing.T) {
	t.Parallel()
	template := createTemplate(t, "terraform-groups", "v1.35.0")
	id := createCluster(t, clusters.CreateOpts{ClusterTemplateID: template.UUID, Name: "terraform-groups"})
	one := 1
	options := nodegroups.CreateOpts{Name: "extra", NodeCount: &one}
	// Terraform makes resources in parallel.
	second := must[*nodegroups.NodeGroup](t, "create")(nodegroups.Create(ctx, service("1.9"), id, nodegroups.CreateOpts{Name: "second"}).Extract())
	group := must[*nodegroups.NodeGroup](t, "create")(nodegroups.Create(ctx, service("1.9"), id, options).Extract())
	waitForGroup(t, id, group.UUID, "CREATE_IN_PROGRESS", "CREATE_COMPLETE")
	waitForGroup(t, id, second.UUID, "CREATE_IN_PROGRESS", "CREATE_COMPLETE")

	limits := []nodegroups.UpdateOpts{
		{Op: nodegroups.ReplaceOp, Path: "/min_node_count", Value: 1},
		{Op: nodegroups.ReplaceOp, Path: "/max_node_count", Value: 5},
	}
	must[*nodegroups.NodeGroup](t, "limits")(nodegroups.Update(ctx, service("1.9"), id, group.UUID, limits).Extract())
	// Without waiting in between.
	four := 4
	resize := clusters.ResizeOpts{NodeCount: &four, NodeGroup: group.UUID}
	must[string](t, "resize")(clusters.Resize(ctx, service("1.9"), id, resize).Extract())
	waitForGroup(t, id, group.UUID, "UPDATE_IN_PROGRESS", "UPDATE_COMPLETE")
	shown := must[*nodegroups.NodeGroup](t, "read")(nodegroups.Get(ctx, service("1.9"), id, group.UUID).Extract())
	equal(t, "node_count", shown.NodeCount, 4)
	equal(t, "min_node_count", shown.MinNodeCount, 1)
	equal(t, "max_node_count", *shown.MaxNodeCount, 5)
	unlimited := []nodegroups.UpdateOpts{{Op: nodegroups.RemoveOp, Path: "/max_node_count"}}
	changed := must[*nodegroups.NodeGroup](t, "no limit")(nodegroups.Update(ctx, service("1.9"), id, group.UUID, unlimited).Extract())
	if changed.MaxNodeCount != nil {
		t.Fatalf("max_node_count is %d, not null", *changed.MaxNodeCount)
	}

	if err := nodegroups.Delete(ctx, service("1.9"), id, group.UUID).ExtractErr(); err != nil {
		t.Fatalf("delete: %v", err)
	}
	waitForGroup(t, id, group.UUID, "DELETE_IN_PROGRESS", "DELETE_COMPLETE")
	readCluster(t, id, 1)
	deleteCluster(t, id)
}

func TestTerraformClusterTemplate(t *testing.T) {
	t.Parallel()
	no := false
	made := must[*clustertemplates.ClusterTemplate](t, "create")(clustertemplates.Create(ctx, service(""), clustertemplates.CreateOpts{
		Name: "terraform-template", COE: "kubernetes", ImageID: "none", FlavorID: "small", FloatingIPEnabled: &no,
		MasterLBEnabled: &no, Public: &no, RegistryEnabled: &no, TLSDisabled: &no, Hidden: &no,
	}).Extract())
	changes := []clustertemplates.UpdateOpts{
		{Op: clustertemplates.RemoveOp, Path: "/flavor_id"},
		{Op: clustertemplates.ReplaceOp, Path: "/floating_ip_enabled", Value: "true"},
		{Op: clustertemplates.ReplaceOp, Path: "/labels", Value: "{'a':'b','c':'d'}"},
		{Op: clustertemplates.ReplaceOp, Path: "/cluster_distro", Value: "fedora-coreos"},
	}
	must[*clustertemplates.ClusterTemplate](t, "update")(clustertemplates.Update(ctx, service(""), made.UUID, changes).Extract())
	shown := must[*clustertemplates.ClusterTemplate](t, "read")(clustertemplates.Get(ctx, service(""), made.UUID).Extract())
	equal(t, "flavor_id", shown.FlavorID, "")
	equal(t, "floating_ip_enabled", shown.FloatingIPEnabled, true)
	equal(t, "label c", shown.Labels["c"], "d")
	if err := clustertemplates.Delete(ctx, service(""), made.UUID).ExtractErr(); err != nil {
		t.Fatal(err)
	}
}
