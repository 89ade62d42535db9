import type { UserProject } from '../identity/directory.schema.ts'
import type { Session } from '../identity/session.ts'

/** The one domain that there is, under Keystone's names for it. */
export const DOMAIN = { id: 'default', name: 'Default' } as const

/** `2026-11-29T10:00:00.000000Z`, as Keystone writes it. */
export const keystoneTime = (date: Date): string => date.toISOString().replace('Z', '000Z')

const endpoints = (region: string, id: string, url: string) =>
  ['public', 'internal', 'admin'].map((face) => ({
    id: `${id}-${face}`,
    interface: face,
    region,
    region_id: region,
    url,
  }))

/**
 * Endpoints of this installation. No path has a second segment like `v1`: gophercloud cuts an endpoint at the first one.
 *
 * @param baseUrl without `/v1`
 */
export const catalogOf = (baseUrl: string, region: string) => [
  {
    id: 'container-infra',
    type: 'container-infra',
    name: 'fedplane',
    endpoints: endpoints(region, 'container-infra', `${baseUrl}/v1`),
  },
  {
    id: 'identity',
    type: 'identity',
    name: 'fedplane',
    endpoints: endpoints(region, 'identity', `${baseUrl}/identity/v3`),
  },
]

const scopeOf = ({ project }: Session, catalog: unknown) =>
  project === null
    ? {}
    : {
        project: { id: project.id, name: project.name, domain: DOMAIN },
        is_domain: false,
        roles: project.roles.map((name) => ({ id: name, name })),
        ...(catalog === undefined ? {} : { catalog }),
      }

/** `token` of the Identity API. @param catalog undefined: it is left out */
export const tokenView = (session: Session, catalog: unknown) => {
  const { claims, user, applicationCredential: credential } = session
  return {
    methods: claims.methods,
    user: { id: user.id, name: user.name, domain: DOMAIN, password_expires_at: null },
    audit_ids: [claims.id, ...claims.ancestors.slice(0, 1)],
    issued_at: keystoneTime(claims.issuedAt),
    expires_at: keystoneTime(claims.expiresAt),
    ...scopeOf(session, catalog),
    ...(credential === undefined
      ? {}
      : {
          application_credential: {
            id: credential.id,
            name: credential.name,
            restricted: !credential.unrestricted,
          },
        }),
  }
}

/** `projects` of the Identity API. */
export const projectsView = (projects: readonly UserProject[], identityUrl: string) => ({
  projects: projects.map(({ id, name }) => ({
    id,
    name,
    description: '',
    domain_id: DOMAIN.id,
    parent_id: DOMAIN.id,
    enabled: true,
    is_domain: false,
    options: {},
    tags: [],
    links: { self: `${identityUrl}/projects/${encodeURIComponent(id)}` },
  })),
  links: { self: `${identityUrl}/auth/projects`, next: null, previous: null },
})

const version = (identityUrl: string) => ({
  id: 'v3.14',
  status: 'stable',
  updated: '2020-04-07T00:00:00Z',
  links: [{ rel: 'self', href: `${identityUrl}/` }],
  'media-types': [{ base: 'application/json', type: 'application/vnd.openstack.identity-v3+json' }],
})

/** `GET /identity/v3`. */
export const versionView = (identityUrl: string) => ({ version: version(identityUrl) })
/** `GET /identity`. */
export const versionsView = (identityUrl: string) => ({ versions: { values: [version(identityUrl)] } })
