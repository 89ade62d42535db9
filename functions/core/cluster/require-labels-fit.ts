import type { PlannedCluster } from '../../drivers/contract/cluster-driver-description.ts'
import { requireSize } from '../require-size.ts'
import { followLabels } from '../values/labels.ts'
import { quote } from '../values/wording.ts'
import type { MagnumClusterAttributes } from './cluster.ts'

type Labelled = Pick<MagnumClusterAttributes, 'labels' | 'templateLabels'>

/** The labels that a cluster would have, and those of its template, which it keeps beside them. @throws RequestTooLarge */
export const requireLabelsFit = ({ labels, templateLabels }: Labelled, before?: Labelled): void => {
  requireSize('labels', labels, {
    before: before?.labels,
    advice: 'Labels that it has of its cluster template count, too.',
  })
  requireSize('labels', templateLabels, {
    before: before?.templateLabels,
    advice: 'These are the labels of the cluster template: shorten them, or choose another template.',
  })
}

/**
 * The labels that a cluster and its node groups would have after an upgrade: see `followLabels`. Other changes leave them as they are.
 *
 * @throws RequestTooLarge
 */
export const requireLabelsFitAfter = ({
  cluster: { magnum },
  template,
  nodeGroups,
  task,
}: Pick<PlannedCluster, 'cluster' | 'template' | 'nodeGroups' | 'task'>): void => {
  if (task?.kind !== 'upgrade' || template === null) return
  const templateLabels = template.spec.labels
  const labels = followLabels(magnum.labels, magnum.templateLabels, templateLabels)
  requireLabelsFit({ labels, templateLabels }, magnum)
  for (const group of nodeGroups) {
    requireSize('labels', followLabels(group.labels, magnum.labels, labels), {
      before: group.labels,
      advice: `These are the labels of node group ${quote(group.name)} with those of the cluster template.`,
    })
  }
}
