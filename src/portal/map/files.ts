/** Addresses of hashed files that only the map needs (src/setup/portal-map.ts). */
declare const PORTAL_MAP_FILES: { library: string; style: string; assets: string; land: string; lines: string }

export const mapFiles = PORTAL_MAP_FILES
