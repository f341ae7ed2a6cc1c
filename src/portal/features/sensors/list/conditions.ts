/** Conditions on newest values, as the API writes them: `temperature>30 and open=true`. */
export const OPERATORS = ['>', '>=', '<', '<=', '=', '!='] as const
export type Operator = (typeof OPERATORS)[number]
export type Condition = { channel: string; operator: Operator; value: string }

/** Orders of the list that a channel may be named like. */
const ORDERS = ['id', 'name', 'state', 'lastAt', 'refused']

/** The name of a channel in a condition or an order, in quotes where it could be read otherwise. */
export const channelName = (name: string): string =>
  /["<>=!]|^[\s-]|\s$/.test(name) || ORDERS.includes(name) ? `"${name.replaceAll('"', '""')}"` : name

export const conditionText = ({ channel, operator, value }: Condition): string =>
  `${channelName(channel)}${operator}${value}`

export const conditionsText = (conditions: readonly Condition[]): string => conditions.map(conditionText).join(' and ')

const CONDITION = /\s*("(?:[^"]|"")+"|[^"<>=!]+?)\s*(>=|<=|!=|>|<|=)\s*([^\s<>=!]+)\s*(?:$|\sand\s)/sy

/** Conditions in a query; the server explains what it cannot read. */
export function conditionsIn(text: string): Condition[] {
  const reader = new RegExp(CONDITION)
  const conditions: Condition[] = []
  for (let found = reader.exec(text); found !== null; found = reader.exec(text)) {
    const [, name = '', operator, value = ''] = found
    const channel = name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name
    conditions.push({ channel, operator: operator as Operator, value })
  }
  return conditions
}
