/**
 * Variables of our ClusterClasses: each is a whole spec, made here and put into a template by one patch. So a class says nothing of labels and need not
 * change when labels do, and an old class takes what a newer driver renders.
 */
export const VARIABLES = {
  /** `spec` of the infrastructure's cluster. */
  infrastructureCluster: 'infrastructureCluster',
  /** `spec` of the infrastructure's machines of the control plane. */
  controlPlaneMachine: 'controlPlaneMachine',
  /** `kubeadmConfigSpec` of the control plane. */
  controlPlaneConfig: 'controlPlaneConfig',
  /** Of each worker group: `spec` of its infrastructure's machines. */
  workerMachine: 'workerMachine',
  /** Of each worker group: `spec` of its KubeadmConfigs. */
  workerConfig: 'workerConfig',
} as const
export type VariableName = keyof typeof VARIABLES

/** The only class of MachineDeployments. */
export const WORKER_CLASS = 'default-worker'
