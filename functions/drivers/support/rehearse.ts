import type { AppError } from '../../core/values/app-error.ts'
import type { KubernetesObject, Resource } from '../../kubernetes/client.ts'
import { ObjectConflict, ObjectInvalid, ObjectNotFound, PermissionDenied } from '../../kubernetes/errors.ts'
import type { Finding } from '../contract/federation-driver.ts'
import { marked } from '../contract/object-marks.ts'
import { errorFinding } from './findings.ts'
import { nameOf, type Site } from './owned.ts'

/** An object as it would be made. */
export type Rehearsed = { resource: Resource; object: KubernetesObject }

/** RBAC itself, of which `permissionFindings` tells; and webhooks that can't be asked without doing what they do. */
const TOLD_ELSEWHERE = /cannot \w+ resource|does not support dry run/i

const saidOf = ({ details, message }: AppError): string =>
  typeof details.said === 'string' && details.said !== '' ? details.said : message

/** A refusal by admission (policies, webhooks, quotas) or validation; undefined for what says nothing of that. @throws all other errors */
const refusal = (error: unknown): string | undefined => {
  // It is there already, or its namespace is not there yet.
  if (error instanceof ObjectConflict || error instanceof ObjectNotFound) return undefined
  if (!(error instanceof PermissionDenied || error instanceof ObjectInvalid)) throw error
  const said = saidOf(error)
  return TOLD_ELSEWHERE.test(said) ? undefined : said
}

const rehearse = async (site: Site, { resource, object }: Rehearsed): Promise<Finding[]> => {
  const wanted = marked(object, site.marks)
  try {
    await site.client.create(resource, wanted, { dryRun: true })
    return []
  } catch (error) {
    const said = refusal(error)
    if (said === undefined) return []
    return [errorFinding('AdmissionRefused', `${nameOf(site, wanted)} would be refused: ${said.replace(/\.?$/, '.')}`)]
  }
}

/** Sends each object with `dryRun=All`, so that admission, webhooks and quotas speak before anything is made. Changes nothing. */
export const rehearsalFindings = async (site: Site, objects: readonly Rehearsed[]): Promise<Finding[]> =>
  (await Promise.all(objects.map((object) => rehearse(site, object)))).flat()
