/** Folders that results of runs are kept in. */
import { api, dataOf } from '../../../api/client.ts'

export type Folder = { name: string; runs: number }

export const loadFolders = async (signal: AbortSignal): Promise<Folder[]> =>
  (await dataOf(api.GET('/enterprise/v1/gis/run-folders', { signal }))).items
