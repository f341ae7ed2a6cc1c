/**
 * The price of a run of a tool, in credits. Each tool states its price as `credits` (tools/tool.ts). An enterprise pays it
 * from its credits of the calendar month; plans of people have no credits, so a person pays nothing.
 *
 * A run is charged when it begins. A run that fails gets its credits back, in the statement that ends it
 * (stores/postgres/runs/runs.ts).
 */
import type { Tool } from '../tools/tool.ts'
import type { RunOwner } from './deps.ts'

export const priceOf = (
  { credits }: Pick<Tool, 'credits'>,
  { creditsPerMonth }: Pick<RunOwner, 'creditsPerMonth'>,
): number => (creditsPerMonth === null ? 0 : credits)

/** The current calendar month in UTC. */
export function creditPeriod(at = new Date()): { start: Date; end: Date } {
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()]
  return { start: new Date(Date.UTC(year, month)), end: new Date(Date.UTC(year, month + 1)) }
}
