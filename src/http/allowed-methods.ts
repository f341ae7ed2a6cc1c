/** Which methods an address answers, for requests with another one (RFC 9110, 15.5.6). */

export type Route = { method: string; path: string }

/** @returns the methods by path; none for an address of nothing. Routes of all methods are such addresses here. */
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
