/** Which files a field offers in the picker, by the media type of its description. */

/** The same formats as src/lib/geo/formats/vector-formats.ts on the server, which recognises them by content first. */
const VECTOR = '.geojson,.json,.zip,.kml,.kmz,.gml,.gpkg,.fgb,.parquet,.csv'
const ACCEPTED: Record<string, { accept: string; isStrict: boolean }> = {
  'application/geo+json': { accept: VECTOR, isStrict: false },
  'image/tiff': { accept: '.tif,.tiff,image/tiff', isStrict: false },
  'text/csv': { accept: '.csv,.txt,.tsv,text/csv', isStrict: false },
  'application/pdf': { accept: '.pdf,application/pdf', isStrict: true },
  'image/jpeg': { accept: '.jpg,.jpeg,image/jpeg', isStrict: false },
  'image/png': { accept: '.png,image/png', isStrict: true },
  'image/*': { accept: 'image/*', isStrict: false },
}

/** @returns `isStrict` where every other file would be refused; else the server decides by the content */
export const acceptOf = (mediaType: string): { accept: string; isStrict: boolean } =>
  ACCEPTED[mediaType] ?? { accept: '', isStrict: false }
