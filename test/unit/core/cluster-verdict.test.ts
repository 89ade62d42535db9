import { expect, it } from 'vitest'
import { verdictOf } from '../../../functions/core/cluster/cluster-update-end.ts'
import type { NodeGroup } from '../../../functions/core/cluster/node-group.ts'
import { newGroup } from '../../support/flows/node-groups.ts'

const cluster = { id: 'c', projectId: 'blue', createdAt: '2026-11-27T10:00:00.000Z' }
const group = (name: string, status: NodeGroup['status'], statusReason: string | null): NodeGroup =>
  newGroup(cluster, { id: name, name, status, statusReason })

const fine = group('fine', 'CREATE_COMPLETE', null)

it('is UPDATE_COMPLETE when the task and all groups are well', () => {
  expect(verdictOf([fine], null)).toEqual({ status: 'UPDATE_COMPLETE', statusReason: null })
})

it.each<[string, NodeGroup[], string | null, string]>([
  ['a task of the whole cluster', [fine], 'Why: It broke.', 'Why: It broke.'],
  [
    'a group, which tells why the task failed',
    [group('a', 'UPDATE_FAILED', 'Why: It broke.')],
    'Why: It broke.',
    'Node group a: Why: It broke.',
  ],
  ['a group of before', [fine, group('a', 'DELETE_FAILED', 'Why: It broke.')], null, 'Node group a: Why: It broke.'],
  [
    'both',
    [group('a', 'UPDATE_FAILED', 'Old: It broke.')],
    'New: It broke too.',
    'New: It broke too. Node group a: Old: It broke.',
  ],
  [
    'several groups, each reason once',
    [
      group('a', 'UPDATE_FAILED', 'Why: It broke.'),
      group('b', 'CREATE_FAILED', 'No room.'),
      group('c', 'UPDATE_FAILED', 'Why: It broke.'),
    ],
    null,
    'Node groups a, c: Why: It broke; b: No room.',
  ],
])('is UPDATE_FAILED for %s', (_, groups, failure, statusReason) => {
  expect(verdictOf(groups, failure)).toEqual({ status: 'UPDATE_FAILED', statusReason })
})
