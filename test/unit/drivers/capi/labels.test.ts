import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  CLUSTER_LABELS,
  clusterValues,
  GROUP_LABELS,
  groupValues,
} from '../../../../functions/drivers/cluster/capi/v1/model/labels.ts'
import { LABELS_WITHOUT_EFFECT, labelWarnings } from '../../../../functions/drivers/cluster/capi/v1/status/observe.ts'
import { ALL_LABELS, samplePlanned } from '../../../support/capi/samples.ts'

const README = readFileSync(
  join(import.meta.dirname, '../../../../functions/drivers/cluster/capi/v1/README.md'),
  'utf8',
)

/** Rows of the tables between two headings. */
const rowsOf = (heading: string): string[][] => {
  const [, rest = ''] = README.split(`\n## ${heading}\n`)
  const [section = ''] = rest.split('\n## ')
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '').trim()))
}

describe('the README', () => {
  const rows = rowsOf('Labels')

  it('has a row for each label, as it is read: where it counts, default and values', () => {
    const expected = Object.entries({ ...CLUSTER_LABELS, ...GROUP_LABELS }).map(([key, rule]) => {
      const fallback = rule.fallback === undefined ? '–' : `\`${rule.fallback}\``
      return [`\`${key}\``, 'on' in rule ? (rule.on ?? 'all') : 'all', fallback, rule.expected]
    })
    expect(rows.filter((row) => row.length === 5).map((row) => row.slice(0, 4))).toStrictEqual(expected)
  })

  it('says what each does', () => {
    for (const [label, , , , effect] of rows.filter((row) => row.length === 5)) expect(effect, label).toMatch(/\w{3}/)
  })

  it('names the labels that are not followed, with the reason', () =>
    expect(rows.filter((row) => row.length === 2)).toStrictEqual(
      Object.entries(LABELS_WITHOUT_EFFECT).map(([label, why]) => [`\`${label}\``, why]),
    ))
})

describe('reading labels', () => {
  it('gives what counts without them', () => {
    expect(clusterValues({})).toMatchObject({ service_cluster_ip_range: '10.254.0.0/16', audit_log_enabled: false })
    expect(groupValues({})).toMatchObject({ auto_healing_enabled: true, boot_volume_size: 0 })
  })

  it('reads every label that the sample has, and the sample has nearly all', () => {
    const values = { ...clusterValues(ALL_LABELS), ...groupValues(ALL_LABELS) }
    for (const key of Object.keys(ALL_LABELS)) expect(values, key).toHaveProperty(key, expect.anything())
  })

  it.each(['True', 'true', 'YES', 'on', '1', 't'])('takes %s for true', (text) =>
    expect(clusterValues({ audit_log_enabled: text }).audit_log_enabled).toBe(true),
  )

  it.each(['False', 'no', 'off', '0', 'N'])('takes %s for false', (text) =>
    expect(groupValues({ auto_healing_enabled: text }).auto_healing_enabled).toBe(false),
  )

  it('takes lists with commas, spaces and both', () =>
    expect(groupValues({ extra_network_names: ' a,b  c, d ' }).extra_network_names).toStrictEqual(['a', 'b', 'c', 'd']))

  it('is not fooled by names of object properties', () =>
    expect(labelWarnings(samplePlanned('dev', { labels: { constructor: 'x' }, nodeGroups: [] }), 'dev')).toStrictEqual([
      'Label "constructor" is not known to capi@1 and changes nothing.',
    ]))
})

describe('labelWarnings', () => {
  const warningsOf = (labels: Record<string, string>, infrastructure: 'openstack' | 'dev') =>
    labelWarnings(samplePlanned(infrastructure, { labels }), infrastructure)

  it('has nothing to say of labels that do something', () =>
    expect(warningsOf({ kube_tag: 'v1.35.2', boot_volume_size: '10' }, 'openstack')).toStrictEqual([]))

  it('tells what is misspelt, of another infrastructure, and of another driver', () =>
    expect(
      warningsOf(
        { kube_tga: 'v1', boot_volume_size: '10', etcd_volume_size: '1', server_group_policies: 'affinity' },
        'dev',
      ),
    ).toStrictEqual([
      'Label "kube_tga" is not known to capi@1 and changes nothing.',
      'Labels "boot_volume_size" and "etcd_volume_size" change nothing on the infrastructure dev.',
      'Label "server_group_policies" changes nothing: it asks for a Nova server group, and none is made.',
    ]))
})
