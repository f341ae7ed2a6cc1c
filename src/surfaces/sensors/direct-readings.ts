/** Readings without the router: most calls of a fleet are small, and a Request and its route cost more than their readings. */
import type { DirectRoute } from '../../http/direct-route.ts'
import type { ReadingsCall } from './readings-call.ts'
import { READINGS_ROUTE } from './routes.ts'

export const directReadings = (readingsCall: ReadingsCall, maxBodyBytes: number): DirectRoute => ({
  method: 'POST',
  route: READINGS_ROUTE,
  target: /^\/sensors\/(\w{1,64})\/readings$/,
  maxBodyBytes,
  answer: ({ parameter, requestContext, headers, body }, render) =>
    readingsCall(parameter, requestContext, headers, () => body, render),
})
