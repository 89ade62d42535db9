import type { Duplex } from 'node:stream'
import type { AppError } from '../core/values/app-error.ts'
import type { Secret } from '../core/values/secret.ts'

/** How to talk to one API server. Made by a cluster driver from a cluster and its stored credential. */
export type Connection = {
  /** `https://host:port[/path]`. */
  server: string
  caPem: string | null
  tlsServerName: string | null
  tlsVerify: boolean
  credential: ConnectionCredential
  /** Carries the connection, in place of a TCP connection to `server`: TLS and HTTP stay the same. */
  dial?: Dial
}

/** Opens a byte stream. The caller ends it. */
export type Dial = () => Promise<Duplex>

/** A port of a pod, as `pods/portforward` takes it. */
export type PodPort = { namespace: string; pod: string; port: number }

export type ConnectionCredential =
  | { kind: 'token'; token: Secret }
  | { kind: 'client-certificate'; certificatePem: string; keyPem: Secret }

/** A Kubernetes object, with the fields that we use and whatever else it has. */
export type KubernetesObject = {
  apiVersion: string
  kind: string
  metadata: ObjectMeta
  [field: string]: unknown
}

export type ObjectMeta = {
  name: string
  namespace?: string
  uid?: string
  resourceVersion?: string
  labels?: Record<string, string>
  annotations?: Record<string, string>
  creationTimestamp?: string
  deletionTimestamp?: string
  finalizers?: string[]
  ownerReferences?: unknown[]
}

/**
 * Which REST resource: the plural is given, so no discovery is needed. `group` is `''` for the core API. `namespace` is absent for
 * cluster-scoped resources.
 */
export type Resource = {
  group: string
  version: string
  /** Lower-case plural, for example `clusterrolebindings`. */
  plural: string
  namespace?: string
}

/** The most that is read of one answer. */
export type AnswerBound = {
  /** Bytes of the body. */
  bytes: number
  /** Members of objects and items of lists, and the objects and lists themselves. */
  values: number
}

/** What one client may read, besides what each call may (`bounds.ts`). Plain numbers, so that they can go to another thread. */
export type ReadLimits = AnswerBound & {
  /** Bytes of all answers to one client together. */
  totalBytes: number
  /** Id of the project on whose behalf it reads, where projects wait for each other. */
  projectId?: string
}

export type ListOptions = {
  labelSelector?: string
  fieldSelector?: string
  limit?: number
  continue?: string
  /**
   * Asks for what `kubectl get` shows instead of whole objects: of a node 350 bytes instead of 20 KiB. Items have `metadata.name` and `cells` by the names of
   * the columns then; servers that make no tables answer with whole objects.
   */
  table?: boolean
}

/** One page. `bytes`: of its JSON text, where that is known. */
export type ObjectList = { items: KubernetesObject[]; continue?: string; bytes?: number }

/** GET /version: numbers are null when they can't be read; the text is kept whole (cases/sv-07). */
export type ServerVersion = { gitVersion: string; major: number | null; minor: number | null }

/** What is read of a cluster's API for its health. */
export type HealthReading = {
  /** `ok`, or what `/readyz` says is not. */
  api: string
  version: string | null
  /** All nodes but those of the control plane, as Magnum counts. */
  nodeCount: number
  masterCount: number
  allNodesReady: boolean
  /** Magnum's map: `<node>.Ready` → `True` or `False`; of at most 100 nodes, those that are not ready first. */
  nodes: Record<string, string>
}

/**
 * A small client over one guarded transport: pinned lookup, keep-alive, connect 3 s, total 15 s, no redirects, bounds for what each answer may have
 * (`bounds.ts`).
 *
 * Every method throws the errors of `errors.ts`, whose messages say what was asked of whom and never hold a body or a credential.
 */
export interface KubernetesClient {
  /** Undefined on 404. */
  get(resource: Resource, name: string): Promise<KubernetesObject | undefined>
  list(resource: Resource, options?: ListOptions): Promise<ObjectList>
  /** POST, strict field validation. With `dryRun` nothing is stored. @throws ObjectConflict when it exists */
  create(resource: Resource, object: KubernetesObject, options?: { dryRun?: boolean }): Promise<KubernetesObject>
  /**
   * Server-side apply with field manager `fedplane` (or `options.fieldManager`), forced, strict field validation. With `dryRun` nothing is
   * stored: the answer is what would be.
   */
  apply(
    resource: Resource,
    object: KubernetesObject,
    options?: { fieldManager?: string; subresource?: 'status'; dryRun?: boolean },
  ): Promise<KubernetesObject>
  /** JSON merge patch. */
  patch(resource: Resource, name: string, patch: unknown): Promise<KubernetesObject>
  /**
   * DELETE with the uid as precondition when given. Undefined when it is gone, now or already (also when another object has the name
   * meanwhile); else the object as it was last seen, which stays for its finalizers or its grace period.
   */
  delete(resource: Resource, name: string, options?: { uid?: string }): Promise<KubernetesObject | undefined>
  /** POST to a subresource or review, for example `serviceaccounts/token` or `selfsubjectreviews`. `body` and answer as the API has them. */
  post(path: string, body: unknown): Promise<KubernetesObject>
  /** PUT to a subresource that takes nothing else, for example `namespaces/x/finalize`. Undefined on 404. */
  put(path: string, body: unknown): Promise<KubernetesObject | undefined>
  /**
   * Raw GET of a path such as `/readyz`, `/version`, `/apis`: status and text, whatever the status is. With a body it is a POST of that as JSON, for
   * servers that are no API servers.
   */
  raw(path: string, body?: unknown): Promise<{ status: number; body: string }>
  version(): Promise<ServerVersion>
  /** Reads a cluster's health where its answers are read, so that no more than this comes back. Absent: it is read call by call. */
  readHealth?(): Promise<HealthReading>
  /** Sees that something answers, whatever it says; asks nothing when something has within the last 5 s. */
  reach(): Promise<void>
  /**
   * A byte stream to a port of a pod (`pods/portforward`), on a connection of its own that the caller ends. A port that nobody listens on
   * fails later, by the stream's error. @throws ObjectNotFound for no such pod
   */
  forward(pod: PodPort): Promise<Duplex>
  /** Gives its connections back: they stay open for some seconds, for the next client of the same server and credential. Streams of `forward` stay. */
  close(): void
}

/** Opens a client, which reads no more than `limits` (default: what each call may); connects at the first call. @throws AddressForbidden for a denied IP literal */
export type Connect = (connection: Connection, limits?: ReadLimits) => KubernetesClient

/** Why an API server refuses something, in its own words and no others: not what was asked of whom. Whole sentences. */
export const wordsOf = ({ details: { said } }: Pick<AppError, 'details'>): string =>
  typeof said === 'string' && said !== '' ? `It says: ${said}.` : 'It gives no reason.'
