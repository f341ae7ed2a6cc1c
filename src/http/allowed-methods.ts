/** The methods that a path supports, for the 405 answer to other methods (RFC 9110, 15.5.6). */

export type Route = { method: string; path: string }

/** @returns a function from path to methods; none for an unknown path. Routes for all methods count as unknown here. */
export function allowedMethods(routes: readonly Route[]): (path: string) => string[] {
  const known = routes
    .filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => ({ method, pattern: patternOf(path) }))
  return (path) => {
    const methods = new Set<string>()
    for (const { method, pattern } of known) if (pattern.test(path)) methods.add(method)
    if (methods.has('GET')) methods.add('HEAD')
    return [...methods].sort()
  }
}

/** `/a/:id/b` matches any part for `:id`; a slash at the end does not count, as in the router. */
function patternOf(path: string): RegExp {
  const parts = path.split('/').map((part) => (part.startsWith(':') ? '[^/]+' : part.replace(/[^\w-]/g, '\\$&')))
  return new RegExp(`^${parts.join('/').replace(/\/$/, '')}/?$`)
}
