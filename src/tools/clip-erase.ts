/** What clip and erase share: a layer, the polygons of a mask, and the side of the mask that is kept. */
import { Type } from '@sinclair/typebox'
import { withFeatures } from '../lib/geo/layer.ts'
import { clipOrEraseFeatures, validFeatures } from '../lib/geo/overlay.ts'
import type { TargetFormat } from '../lib/geo/vector-formats.ts'
import { layerResult, ofField, readLayer, targetFormat, vectorFile } from './layers.ts'
import { withPolygons } from './overlays.ts'
import { file } from './params.ts'
import type { InputFile, RunContext, ToolResult } from './tool.ts'

export const clipEraseInput = () =>
  Type.Object({
    file: vectorFile(),
    mask: file('vector', {
      title: { en: 'Mask', ar: 'القناع' },
      en: 'Polygons: the boundary, in any CRS',
      ar: 'المضلعات: الحدود، بأي نظام إحداثيات',
    }),
    target_format: targetFormat(),
  })

type ClipEraseInput = { file: InputFile; mask: InputFile; target_format: TargetFormat }

/** @param operation whether to keep what is inside or outside of the mask */
export async function clipOrErase(
  { file: source, mask, target_format }: ClipEraseInput,
  operation: 'intersection' | 'difference',
  suffix: string,
  context: RunContext,
): Promise<ToolResult> {
  const layer = await readLayer(source, 'file', context)
  const features = await withPolygons(mask, 'mask', context, layer.crs, async ({ set }) => {
    const valid = await ofField('file', () => validFeatures(layer.features))
    return clipOrEraseFeatures(valid, set, operation, context.progress)
  })
  return layerResult(withFeatures(layer, features), target_format, source, suffix, context, {
    inputFeatureCount: layer.features.length,
    droppedCount: layer.features.length - features.length,
  })
}
