/** One option of a driver, for documentation, `GET /v1/drivers/{id}` and validation messages. */
export type PropertyDescription = {
  key: string
  description: string
  /** Null when there is none. */
  default: string | null
}
