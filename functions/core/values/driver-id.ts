/** `<name>@<major>`, for example `clusterprofile@1`. Stored with each entity; another major is another driver. */
export type DriverId = `${string}@${number}`

/** True for text of the form `<name>@<major>`. */
export const isDriverId = (text: string): text is DriverId => /^[a-z][a-z0-9-]*@[1-9][0-9]*$/.test(text)
