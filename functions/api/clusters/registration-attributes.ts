/**
 * Attributes of `POST /v1/clusters` by which drivers register clusters (`Registration.attribute`); what is in them the drivers say. A list by
 * hand, because routes and their documents are made without drivers; a test compares it with the drivers of the build.
 */
export const REGISTRATION_ATTRIBUTES = ['eks'] as const
export type RegistrationAttribute = (typeof REGISTRATION_ATTRIBUTES)[number]
