/** The type of a page of the portal. */
import type { ComponentType } from 'preact'
import type { Parameters } from './router.ts'

export type PageProps = { parameters: Parameters }
export type Page = ComponentType<PageProps>
