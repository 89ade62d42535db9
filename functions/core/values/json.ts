/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | JsonObject
/** A JSON object. */
export type JsonObject = { [key: string]: Json }
