/** Addresses of hashed files that only the map needs (src/setup/portal-map.ts). */
declare const PORTAL_MAP_FILES: Record<'library' | 'style' | 'assets' | 'layer' | 'world', string>

export const mapFiles = PORTAL_MAP_FILES
