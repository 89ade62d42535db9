import type { KarmadaProperties } from '../schema.ts'

const KUBERNETES = 'registry.k8s.io'
const KARMADA = 'docker.io/karmada'

type Sources = Pick<KarmadaProperties, 'imageRegistry' | 'kubeImageTag' | 'karmadaImageTag' | 'etcdImageTag'>

export const etcdImage = ({ imageRegistry, etcdImageTag }: Sources): string =>
  `${imageRegistry ?? KUBERNETES}/etcd:${etcdImageTag}`

/** @param name for example `kube-apiserver` */
export const kubeImage = ({ imageRegistry, kubeImageTag }: Sources, name: string): string =>
  `${imageRegistry ?? KUBERNETES}/${name}:${kubeImageTag}`

/** @param name for example `karmada-scheduler` */
export const karmadaImage = ({ imageRegistry, karmadaImageTag }: Sources, name: string): string =>
  `${imageRegistry ?? KARMADA}/${name}:${karmadaImageTag}`
