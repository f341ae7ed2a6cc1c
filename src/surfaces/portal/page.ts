/**
 * The single page of the portal. Language and theme come from the account, or from a cookie of the last visit, so that
 * the first paint is right without an inline script.
 */
import type { PortalManifest } from './files.ts'

export const LANGUAGES = ['en', 'ar'] as const
export type Language = (typeof LANGUAGES)[number]
export type Appearance = {
  language: Language
  theme: 'auto' | 'light' | 'dark'
  /** Known only for an account; otherwise the browser remembers them. */
  digits?: 'latn' | 'arab' | undefined
  zone?: 'local' | 'utc' | undefined
}

const PREFERENCES_COOKIE = 'gw_view'

/**
 * From the account, else from the cookie `gw_view=<language>.<theme>`, else from the browser's languages.
 * @param chosen the preferences of the account
 */
export function appearanceOf(headers: Headers, chosen: Partial<Appearance> = {}): Appearance {
  const cookie = headers.get('cookie') ?? ''
  const [, language, theme] =
    cookie.match(new RegExp(`(?:^|;\\s*)${PREFERENCES_COOKIE}=(en|ar)\\.(auto|light|dark)`)) ?? []
  return {
    ...chosen,
    language:
      chosen.language ?? (language as Language | undefined) ?? preferredLanguage(headers.get('accept-language') ?? ''),
    theme: chosen.theme ?? (theme as Appearance['theme'] | undefined) ?? 'auto',
  }
}

/** The first language of the header that the portal speaks (RFC 9110, 12.5.4; weights follow the order in practice). */
function preferredLanguage(header: string): Language {
  for (const part of header.split(',')) {
    const language = part.trim().slice(0, 2).toLowerCase()
    if (language === 'ar' || language === 'en') return language
  }
  return 'en'
}

/**
 * Scripts only from files of this server. Charts and maps position their parts with style attributes.
 * @param tilesOrigin host of the operator's base map, if it is not this server
 */
export const pagePolicy = (tilesOrigin: string | undefined): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "worker-src 'self' blob:",
    "style-src 'self' 'unsafe-inline'",
    "font-src 'self'",
    "img-src 'self' data: blob:",
    // layers that a worker has assembled for the map
    `connect-src 'self' blob:${tilesOrigin === undefined ? '' : ` ${tilesOrigin}`}`,
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/**
 * A worker follows the policy that its file is served with. Workers of the map load the outline of the world and the
 * live assets.
 */
const SCRIPT_POLICY = "default-src 'none'; connect-src 'self'"

/** PDF.js decodes some images with WebAssembly, in its worker only. It runs nothing that a document contains. */
const PDF_WORKER_POLICY = `${SCRIPT_POLICY}; script-src 'wasm-unsafe-eval'`

/** @param name of a script among the built files */
export const scriptPolicy = (name: string): string => (/^pdf-worker-/.test(name) ? PDF_WORKER_POLICY : SCRIPT_POLICY)

/** @param tiles address of the base map */
export function pageOf(
  manifest: PortalManifest,
  { language, theme, digits, zone }: Appearance,
  tiles?: string,
): string {
  const asset = (name: string): string => `/portal/assets/${name}`
  const known = Object.entries({ digits, zone }).flatMap(([name, value]) =>
    value === undefined ? [] : ` data-${name}="${value}"`,
  )
  const modules = [...manifest.imports, manifest.texts[language]]
  return `<!doctype html>
<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}" data-theme="${theme}"${known.join('')}${tiles === undefined ? '' : ` data-tiles="${Bun.escapeHTML(tiles)}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<title>Groundwave</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='M1 10q2-8 4 0t4 0 4 0' fill='none' stroke='%231f6f5c' stroke-width='2'/%3E%3C/svg%3E">
<link rel="preload" href="${asset(manifest.fonts[language])}" as="font" type="font/woff2" crossorigin>
${modules.map((name) => `<link rel="modulepreload" href="${asset(name)}">`).join('\n')}
<link rel="stylesheet" href="${asset(manifest.style)}">
<script type="module" src="${asset(manifest.script)}"></script>
</head>
<body><div id="portal"></div></body>
</html>
`
}
