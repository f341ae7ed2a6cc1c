/** The key of a Tool API that was just created, which its page shows until the person has saved it. */
import { signal } from '@preact/signals'
import type { Feature } from 'geojson'

export type NewKey = { id: string; key: string; name: string; example: Feature | undefined }

export const newKey = signal<NewKey | undefined>(undefined)
