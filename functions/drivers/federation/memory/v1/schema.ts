import * as z from 'zod'
import type { PropertyDescription } from '../../../contract/federation-driver-description.ts'

/** Phases of a create, in their order. */
const PHASE_IDS = ['namespace', 'control-plane', 'verify'] as const
/** Functions for the federation as a whole that can be asked to fail. */
const OTHER_ACTS = ['properties', 'certificates', 'observe', 'kubeconfig'] as const
/** Functions for one member that can be asked to fail. */
const MEMBER_ACTS = [
  'check',
  'prepare',
  'register',
  'ready',
  'refresh',
  'made',
  'cordon',
  'deregister',
  'clean',
] as const

const FAILING = [...PHASE_IDS, ...OTHER_ACTS, ...MEMBER_ACTS] as const

/** memory@1's options in a federation's `properties`. */
export const MemoryPropertiesSchema = z.object({
  'memory-fail-phase': z.enum(FAILING).optional(),
  'memory-delay-seconds': z
    .string()
    .regex(/^\d{1,4}$/)
    .transform(Number)
    .optional(),
  'memory-certificate-seconds': z
    .string()
    .regex(/^[1-9]\d{0,7}$/)
    .transform(Number)
    .optional(),
  'memory-fixed': z.string().optional(),
  'memory-token-seconds': z
    .string()
    .regex(/^[1-9]\d{0,7}$/)
    .transform(Number)
    .optional(),
})
export type MemoryProperties = z.infer<typeof MemoryPropertiesSchema>

export const PROPERTIES: readonly PropertyDescription[] = [
  {
    key: 'memory-fail-phase',
    description: `Where to fail: a phase of the control plane, or a step of every member (${FAILING.join(', ')}).`,
    default: null,
  },
  { key: 'memory-delay-seconds', description: 'Seconds that the phase control-plane takes, 0 to 9999.', default: '0' },
  {
    key: 'memory-token-seconds',
    description: 'Seconds that member tokens live; they are renewed after two thirds. Without it they do not expire.',
    default: null,
  },
  {
    key: 'memory-certificate-seconds',
    description:
      'Seconds that the certificates live; they are renewed after two thirds. Without it they do not expire.',
    default: null,
  },
  { key: 'memory-fixed', description: 'Any text; it can not be changed later.', default: null },
]

/** One sentence per fault of the driver's own properties. */
export const validateProperties = (properties: Readonly<Record<string, string>>): string[] => {
  const parsed = MemoryPropertiesSchema.safeParse(properties)
  return parsed.success
    ? []
    : parsed.error.issues.map((issue) => `Property ${issue.path.join('.')} is not valid: ${issue.message}.`)
}

/** One sentence for each of the driver's own properties that can't change. */
export const validateChange = (
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): string[] =>
  before['memory-fixed'] === after['memory-fixed']
    ? []
    : ['Property memory-fixed can not be changed once the federation is there; create another federation with it.']
