import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'

/** Programs of envtest's `KUBEBUILDER_ASSETS` folder. */
export type Assets = {
  etcd: string
  apiServer: string
  /** Null where the folder has none: then no namespace and no token controller runs. */
  controllerManager: string | null
}

const executable = (path: string): string | null => {
  try {
    accessSync(path, constants.X_OK)
    return path
  } catch {
    return null
  }
}

/** The programs in a folder; null when `etcd` or `kube-apiserver` is not in it. */
export const findAssets = (folder: string | undefined): Assets | null => {
  if (!folder) return null
  const etcd = executable(join(folder, 'etcd'))
  const apiServer = executable(join(folder, 'kube-apiserver'))
  if (etcd === null || apiServer === null) return null
  return { etcd, apiServer, controllerManager: executable(join(folder, 'kube-controller-manager')) }
}
