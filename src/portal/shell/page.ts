/** What a page of the portal is. */
import type { ComponentType } from 'preact'
import type { Parameters } from './router.ts'

export type PageProps = { parameters: Parameters }
export type Page = ComponentType<PageProps>
