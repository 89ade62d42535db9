/**
 * Which layer may import which: `api | flows | workers -> core -> entities, interfaces`. Implementations are injected by
 * `functions/runtime` (AWS) and `local`. A rule's comment is what a reader of the finding needs to know.
 */

// TypeScript 7 has no API for parsers. Without this one dependency-cruiser would pass over every .ts file and find nothing.
require.resolve('@swc/core')

/** Type-only imports count too: a layer that needs another's types knows that layer. */
const CORE = '^functions/(api|authorizer|identity-api|identity|flows|workers|core|policy)/'
/** Types and predicates of the core, which everybody may know. What begins and ends lives is beside them. */
const ENTITIES =
  '^functions/core/(values/|operation/(operation|deadlines)\\.ts|trigger/trigger\\.ts|federation/federation\\.ts|membership/membership\\.ts|grant/grant\\.ts|selector/selector\\.ts|health-policy/health-policy\\.ts|' +
  'cluster/(cluster|cluster-task|cluster-template|magnum-attributes|node-group|node-rules|observe-request|task-groups)\\.ts)'
/** Lambda entry files: they alone put core and AWS ports together. */
const ENTRY = '^functions/.*(/|\\.)handler\\.ts$'
const INTERFACES = '^functions/(store/[^/]+|cloud/[^/]+|drivers/contract/.+|kubernetes/(client|errors))\\.ts$'
const WIRING = '^functions/runtime/'
const IMPLEMENTATIONS =
  '^functions/(store/(dynamodb|sealing)/|cloud/keystone/|kubernetes/connect\\.ts|drivers/(registry|descriptions)\\.ts)'
/** Entry files of functions without rights on keys, and the list of what drivers say, which is all that these carry of drivers. */
const KEYLESS =
  '^functions/(api/table\\.handler|event-stream/handler|workers/(cloud-calls|reconciler|renewals|trigger-fan-out|trigger-deliveries|selectors)/handler|drivers/descriptions)\\.ts$'
/** What drivers do. */
const DRIVER_CODE =
  '^functions/drivers/(registry\\.ts|support/|(federation|cluster)/[^/]+/v[0-9]+/(index\\.ts|phases(/|\\.ts)))'

/** Rooms of one folder, from the ground up: each may import itself and what is below it, never the folder's own files, which are its roof. */
const storeys = (folder, ...rooms) =>
  rooms.map((room, index) => ({
    name: `storeys-of-${folder.split('/').slice(-2).join('-')}`,
    comment: `In ${folder} calls go down: ${['its own files', ...rooms.toReversed()].join(', ')}.`,
    severity: 'error',
    from: { path: `^${folder}/${room}/` },
    to: { path: `^${folder}/`, pathNot: `^${folder}/(${rooms.slice(0, index + 1).join('|')})/` },
  }))

module.exports = {
  forbidden: [
    ...storeys(
      'functions/drivers/federation/karmada/v1',
      'model',
      'pki',
      'host',
      'control-plane',
      'member',
      'checks',
      'phases',
    ),
    ...storeys('functions/drivers/cluster/capi/v1', 'model', 'render', 'checks', 'management', 'status', 'phases'),
    {
      name: 'no-cycles',
      comment: 'Two modules that need each other are one, or lack a third.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-unresolvable',
      comment: 'The import leads nowhere.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'entities-are-pure',
      comment: 'Entities have no SDK, environment, clock or I/O: they import each other only.',
      severity: 'error',
      from: { path: ENTITIES },
      to: { pathNot: ENTITIES },
    },
    {
      name: 'interfaces-know-entities-only',
      comment:
        'Contracts are written in terms of entities, of each other and of byte streams, never of an implementation.',
      severity: 'error',
      from: { path: INTERFACES },
      to: { pathNot: [ENTITIES, INTERFACES, '^stream$'] },
    },
    {
      name: 'functions-stand-alone',
      comment: 'What runs in Lambda knows nothing of how it is deployed, run locally or tested.',
      severity: 'error',
      from: { path: '^functions/' },
      to: { path: '^(local|simulated-kubernetes|infra|test|cli)/' },
    },
    {
      name: 'implementations-are-injected',
      comment: 'Core code takes Ports; only runtime and local choose what is behind them.',
      severity: 'error',
      from: { path: '^functions/', pathNot: ['^functions/runtime/', IMPLEMENTATIONS] },
      to: { path: IMPLEMENTATIONS },
    },
    {
      name: 'wiring-is-for-entry-files',
      comment: 'Core code takes Ports; only Lambda entry files make them.',
      severity: 'error',
      from: { path: '^functions/', pathNot: ['^functions/runtime/', ENTRY] },
      to: { path: WIRING },
    },
    {
      name: 'core-knows-no-driver',
      comment: 'Core code asks a driver for its capabilities; it gets drivers from the registry.',
      severity: 'error',
      from: { path: [CORE, '^functions/(store|kubernetes|runtime)/'] },
      to: { path: '^functions/drivers/(federation|cluster)/' },
    },
    {
      name: 'keyless-functions-carry-no-driver',
      comment:
        'Routes with access table, the reconciler and the renewals work on what drivers say (drivers/descriptions.ts); what drivers do needs keys.',
      severity: 'error',
      from: { path: KEYLESS },
      to: { path: DRIVER_CODE, reachable: true },
    },
    {
      name: 'answers-are-documentation',
      comment:
        'Schemas of answers are for the OpenAPI document, which is made when functions are bundled: no function carries them.',
      severity: 'error',
      from: { path: '^functions/', pathNot: ['^functions/api/openapi/', '\\.answer\\.schema\\.ts$'] },
      to: { path: '^functions/api/(openapi/|.+\\.answer\\.schema\\.ts$)' },
    },
    {
      name: 'core-is-below-the-edges',
      comment: 'The core serves routes, flows and workers, and knows none of them.',
      severity: 'error',
      from: { path: '^functions/(core|policy)/' },
      to: { path: '^functions/(api|authorizer|event-stream|identity-api|flows|workers)/' },
    },
    {
      name: 'edges-know-no-other-edge',
      comment: 'Routes, logins, flows and workers share through the core.',
      severity: 'error',
      from: { path: '^functions/(api|authorizer|identity-api|flows|workers)/' },
      to: { path: '^functions/(api|authorizer|identity-api|flows|workers)/', pathNot: '^functions/$1/' },
    },
    {
      name: 'drivers-stand-alone',
      comment:
        'A driver version is one folder that can be removed; what two need is in drivers/support, http/, kubernetes/ or x509/.',
      severity: 'error',
      from: { path: '^functions/drivers/((federation|cluster)/[^/]+/v[0-9]+)/' },
      to: {
        path: '^functions/',
        pathNot: ['^functions/drivers/$1/', ENTITIES, '^functions/(http|kubernetes|x509|drivers/(contract|support))/'],
      },
    },
    {
      name: 'aws-sdk-behind-ports',
      comment: 'AWS is one way to run fedplane: its SDK is used in store/dynamodb, runtime and local only.',
      severity: 'error',
      from: { path: '^functions/', pathNot: ['^functions/(store/dynamodb|runtime)/'] },
      to: { path: 'node_modules/@aws-(sdk|lambda-powertools)/' },
    },
    {
      name: 'no-client-node-at-run-time',
      comment:
        "Our own guarded client speaks to clusters (decision 0008); client-node's models are types, and it runs where a person's own kubeconfig is read and in tests.",
      severity: 'error',
      from: { pathNot: '^(test|cli|local/demo)/' },
      to: { path: '(^|/)@kubernetes/client-node', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'infra-reads-tables-and-constants',
      comment:
        'Infrastructure is derived from route tables, schemas and constants; behaviour stays out of it. Policies are checked before they are deployed.',
      severity: 'error',
      from: { path: '^infra/' },
      to: {
        path: '^(functions|local|simulated-kubernetes|test|cli)/',
        pathNot: [
          '^local/assets/',
          '^local/engine/asl-lint\\.ts$',
          ENTITIES,
          '^functions/drivers/(descriptions\\.ts|contract/)',
          '^functions/api/routes?\\.ts$',
          '^functions/authorizer/settings\\.ts$',
          '^functions/store/dynamodb/table-definition\\.ts$',
          '^functions/runtime/(env|bundled-files)\\.ts$',
          '^functions/http/aws-time-outs\\.ts$',
          '^functions/api/openapi/document\\.ts$',
          '^functions/policy/check-policies\\.ts$',
          '\\.schema\\.ts$',
        ],
      },
    },
    {
      name: 'local-needs-no-infra',
      comment: 'One machine needs no CDK.',
      severity: 'error',
      from: { path: '^(local|simulated-kubernetes|cli)/', pathNot: '^simulated-kubernetes/test/' },
      to: { path: '^(infra|test)/' },
    },
    {
      name: 'declared-dependencies-only',
      comment: 'A package that is used is in package.json.',
      severity: 'error',
      from: { path: '^(functions|local|simulated-kubernetes|cli)/', pathNot: '^simulated-kubernetes/test/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'tools-stay-tools',
      comment:
        'What builds, deploys, checks and tests is no part of what runs. All packages are devDependencies, since what runs is bundled (decision 0035).',
      severity: 'error',
      from: {
        path: '^(functions|local|simulated-kubernetes|cli)/',
        pathNot: '^(simulated-kubernetes/test|cli/package)/',
      },
      to: {
        path: 'node_modules/(@biomejs|@swc|asl-validator|aws-cdk|aws-cdk-lib|cdk-nag|constructs|dependency-cruiser|esbuild|fast-check|knip|mdast-.*|micromark-.*|typescript|vitest)/',
        dependencyTypesNot: ['type-only'],
      },
    },
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      mainFields: ['module', 'main', 'types'],
      extensions: ['.ts', '.mts', '.js', '.mjs', '.cjs', '.json'],
    },
  },
}
