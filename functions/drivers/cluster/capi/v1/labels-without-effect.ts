/** Labels that other Magnum drivers know and this one can't follow, with the reason, which completes a sentence after the label's name. */
export const LABELS_WITHOUT_EFFECT: Readonly<Record<string, string>> = {
  capi_helm_chart_version: 'chooses a Helm chart, and no chart is used',
  server_group_policies: 'asks for a Nova server group, and none is made',
  different_failure_domain: 'asks for a Nova server group, and none is made',
  cilium_hubble_ui_enabled: 'is for manifests that the operator gives as a whole',
  kube_dashboard_enabled: 'asks for an addon that its makers gave up',
  manila_csi_share_network_id: 'is for manifests that the operator gives as a whole',
}
