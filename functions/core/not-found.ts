import { ObjectNotVisible } from './errors.ts'
import { quote } from './values/wording.ts'

export type Noun = 'Cluster' | 'Federation' | 'ClusterTemplate' | 'NodeGroup' | 'Quota'

/** Said whether or not another project has it. */
export const IN_OWN_PROJECT = ' in your project'

/** @param where the end of the sentence: as far as was looked */
export const notFound = (noun: Noun, ident: string, where = ''): ObjectNotVisible =>
  new ObjectNotVisible(`${noun} ${quote(ident)} could not be found${where}.`)
