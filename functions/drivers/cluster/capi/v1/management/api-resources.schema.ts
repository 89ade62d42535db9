import * as z from 'zod'

const ApiResourceList = z.object({ resources: z.array(z.object({ name: z.string() })) })

/** Names of the resources of an API version, from the text that its discovery answers; none of any other text. */
export const resourceNames = (text: string): string[] => {
  try {
    return (ApiResourceList.safeParse(JSON.parse(text)).data?.resources ?? []).map(({ name }) => name)
  } catch {
    return []
  }
}
