/** Rights in a cluster, beside the ClusterRoles `view` and `edit` of Kubernetes: `more` is whatever goes beyond `edit`. */
export type RightsLevel = 'view' | 'edit' | 'more'
