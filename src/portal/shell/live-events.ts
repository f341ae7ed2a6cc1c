/** Parses server-sent events as they arrive in a stream (WHATWG HTML, 9.2): names with their data, cut at any byte. */

export type StreamEvent = { name: string; data: string }

/** @returns a function that takes the next piece of text and gives the events that are complete */
export function eventReader(): (text: string) => StreamEvent[] {
  let rest = ''
  return (text) => {
    rest += text
    const events: StreamEvent[] = []
    for (;;) {
      const found = /\r?\n\r?\n/.exec(rest)
      if (found === null) return events
      const event = eventOf(rest.slice(0, found.index))
      rest = rest.slice(found.index + found[0].length)
      if (event !== undefined) events.push(event)
    }
  }
}

/** Comments and `retry` have no data. */
function eventOf(block: string): StreamEvent | undefined {
  let name = 'message'
  const data: string[] = []
  for (const line of block.split(/\r?\n/)) {
    if (line.startsWith('event:')) name = line.slice(6).trim()
    else if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''))
  }
  return data.length === 0 ? undefined : { name, data: data.join('\n') }
}
