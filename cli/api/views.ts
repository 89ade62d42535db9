/** What the API answers, as far as the command line reads it. The whole is in docs/api. */

export type Lifecycle = { uuid: string; name: string; status: string; status_reason: string | null }

export type Condition = { type: string; status: string; reason: string; message: string }

export type Operation = { kind: string; started_at: string; deadline: string } | null

export type MemberState = 'Waiting' | 'Joining' | 'Ready' | 'Degraded' | 'Leaving' | 'JoinFailed' | 'UnjoinFailed'

export type MemberView = {
  cluster_id: string
  name: string
  state: MemberState
  reason: string | null
  message: string | null
  since: string
}

export type FederationView = Lifecycle & {
  hostcluster_id: string
  member_ids: string[]
  members: MemberView[]
  properties: Record<string, string>
  project_id: string
  driver: string
  endpoint: string | null
  conditions: Condition[]
  operation: Operation
  created_at: string
}

export type ClusterView = Lifecycle & {
  cluster_template_id: string
  driver: string
  project_id: string
  node_count: number
  master_count: number
  labels: Record<string, string>
  health_status: string | null
  health_status_reason: Record<string, string> | null
  coe_version: string | null
  api_address: string | null
  conditions: Condition[]
  federations: { uuid: string; name?: string; role: string }[]
  operation: Operation
  created_at: string
}

export type TemplateView = {
  uuid: string
  name: string
  driver: string
  coe: string
  image_id: string
  public: boolean
  hidden: boolean
  labels: Record<string, string>
}

export type EventView = {
  id: string
  action: string
  outcome: string
  reason: string
  message: string
  cluster_id: string | null
  time: string
}

export type DriverProperty = { key: string; description: string; default: string | null }

export type DriverView = {
  id: string
  federation: { description: string; default: boolean; properties: DriverProperty[] } | null
  cluster: { description: string } | null
}

export type DryRunView = {
  would_succeed: boolean
  findings: { severity: 'error' | 'warning'; reason: string; message: string; cluster_id: string }[]
  would_make: string[]
  would_remove: string[]
}
