import { AssetMissing } from '../../functions/drivers/contract/errors.ts'

/** In place of the files that come with the functions: the drivers of these tests need none. */
export const noAssets = (name: string): Promise<never> =>
  Promise.reject(new AssetMissing(`The tests have no asset ${name}.`))
