/** Parts of request schemas of /auth that several files of routes share. */
import { Type } from '@sinclair/typebox'

export const closed = { additionalProperties: false } as const
export const email = Type.String({ minLength: 3, maxLength: 254, description: 'E-mail address, in any case' })
