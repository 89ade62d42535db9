/** A file of a machine, written before kubeadm runs. Belongs to root, readable by all: nothing confidential. */
export type KubeadmFile = { path: string; content: string }

/** As kubeadm's configuration has it. */
export const asFile = ({ path, content }: KubeadmFile) => ({ path, content, owner: 'root:root', permissions: '0644' })
