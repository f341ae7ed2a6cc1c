/** Reads where and when photos were taken from their EXIF data. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { unreadable } from '../../errors.ts'
import { readPhoto } from '../../lib/image/exif.ts'
import { readJpegHead } from '../../lib/image/jpeg-head.ts'
import { InputError } from '../../lib/input-error.ts'
import { inField, warning } from '../../warnings/warning.ts'
import { described, files, integerResult } from '../params.ts'
import { defineTool } from '../tool.ts'

const MAX_PHOTOS = 30

export default defineTool({
  id: 'convert.extract-exif',
  route: '/extract-exif',
  version: '1.2.0',
  title: { en: 'Extract photo locations', ar: 'استخراج مواقع الصور' },
  description: {
    en: 'Reads position, altitude and time from the EXIF data of JPEG and HEIC photos and returns the positions as GeoJSON points. Photos without a position are listed too.',
    ar: 'يقرأ الموقع والارتفاع والوقت من بيانات EXIF لصور JPEG وHEIC ويعطي المواقع نقاطًا بصيغة GeoJSON. وتُدرج الصور التي لا موقع لها أيضًا.',
  },
  keywords: ['exif', 'gps', 'photo', 'jpeg', 'geotag'],
  credits: 1,
  lane: 'bun',
  async: true,
  inputKind: 'image',
  outputKind: 'vector',
  input: Type.Object({
    files: files(
      'image',
      1,
      MAX_PHOTOS,
      {
        title: { en: 'Files', ar: 'الملفات' },
        en: 'JPEG or HEIC photos, up to thirty',
        ar: 'صور JPEG أو HEIC، حتى ثلاثين',
      },
      { mediaType: 'image/jpeg' },
    ),
  }),
  output: Type.Object({
    images: described(
      Type.Array(
        Type.Object({
          filename: Type.String(),
          hasGps: Type.Boolean(),
          latitude: Type.Union([Type.Number(), Type.Null()]),
          longitude: Type.Union([Type.Number(), Type.Null()]),
          altitude: Type.Union([Type.Number(), Type.Null()]),
          timestamp: Type.Union([Type.String(), Type.Null()]),
          camera: Type.Union([Type.String(), Type.Null()]),
          orientation: Type.Union([Type.Integer(), Type.Null()]),
        }),
      ),
      {
        en: 'A row for each photo: degrees, metres above sea level, and the time as ISO 8601, without an offset if the camera did not record one; make and model of the camera, and the EXIF orientation from 1 to 8',
        ar: 'صف لكل صورة: الموقع بالدرجات، والارتفاع بالأمتار فوق سطح البحر، والوقت بصيغة ISO 8601 دون فرق التوقيت إن لم تسجله الكاميرا؛ وصانع الكاميرا وطرازها، واتجاه الصورة وفق EXIF من 1 إلى 8',
      },
    ),
    geotaggedCount: integerResult('Photos with a position', 'عدد الصور ذات الموقع'),
    totalCount: integerResult('Photos', 'عدد الصور'),
    geojsonOutput: described(
      Type.Object({ type: Type.Literal('FeatureCollection'), features: Type.Array(Type.Unknown()) }),
      {
        en: 'The positions as a GeoJSON FeatureCollection, the same as the stored file',
        ar: 'المواقع بصيغة GeoJSON FeatureCollection، وهي نفسها محتوى الملف المخزَّن',
      },
    ),
  }),
  examples: [{ name: 'two photos', input: { files: ['geotagged.jpg', 'plain.jpg'] } }],
  async run({ files }, context) {
    const images = []
    for (const [i, file] of files.entries()) {
      context.progress(i / files.length)
      try {
        const { metadata, doubts } = readPhoto(await readFile(file.path))
        for (const doubt of doubts) context.warn(inField(`files.${i}`, doubt))
        const { pictures } = await readJpegHead(file.path)
        if (pictures > 1) context.warn(inField(`files.${i}`, warning('onlyFirstPictureRead', { n: pictures })))
        images.push({ filename: file.filename, ...metadata })
      } catch (error) {
        if (error instanceof InputError) throw unreadable(`files.${i}`, error.rule, error.text, error.cause)
        throw error
      }
    }
    const geotagged = images.filter(({ hasGps }) => hasGps)
    const features = geotagged.map(({ longitude, latitude, altitude, filename, timestamp }) => ({
      type: 'Feature',
      properties: { filename, altitude, timestamp },
      geometry: {
        type: 'Point',
        coordinates: altitude === null ? [longitude, latitude] : [longitude, latitude, altitude],
      },
    }))
    const geojsonOutput = { type: 'FeatureCollection', features }
    const path = join(context.scratch, 'output-photos.geojson')
    await writeFile(path, JSON.stringify(geojsonOutput))
    const output = { role: 'output' as const, path, filename: 'photos.geojson', mediaType: 'application/geo+json' }
    return {
      data: { images, geotaggedCount: geotagged.length, totalCount: images.length, geojsonOutput },
      files: [{ ...output, crs: 'EPSG:4326' }],
    }
  },
})
