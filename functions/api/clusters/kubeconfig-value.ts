import type { JsonObject } from '../../core/values/json.ts'

/** What a kubeconfig in a request is, to complete a sentence. What is in it is checked by the intake. */
export const KUBECONFIG_RULE = 'a kubeconfig as text (YAML or JSON) or as an object'

/** Nothing in it: a fault of its own, because the file was empty, not wrong. */
export const isEmptyKubeconfig = (value: string | JsonObject): boolean =>
  typeof value === 'string' ? value.trim() === '' : Object.keys(value).length === 0
