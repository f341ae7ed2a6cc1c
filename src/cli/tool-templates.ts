/** The files of a new tool and its test, from the template of its group. They compile, but fail until they are filled in. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const TEMPLATES = join(import.meta.dir, 'tool-templates')
export const TEMPLATE_GROUPS = ['vector', 'raster', 'image', 'document', 'measure', 'convert'] as const
export type TemplateGroup = (typeof TEMPLATE_GROUPS)[number]

export type NewTool = { group: TemplateGroup; name: string; title: string; arabicTitle: string }

/** @returns contents by path below the repository */
export function newToolFiles(tool: NewTool): Record<string, string> {
  const { group, name } = tool
  return {
    [`src/tools/${group}/${name}.ts`]: filled(`${group}.tool.txt`, tool),
    [`test/unit/tools/${group}/${name}.test.ts`]: filled(`${group}.test.txt`, tool),
  }
}

function filled(template: string, { group, name, title, arabicTitle }: NewTool): string {
  const values: Record<string, string> = { id: `${group}.${name}`, name, title, arabicTitle }
  return readFileSync(join(TEMPLATES, template), 'utf8').replaceAll(/\{\{(\w+)\}\}/g, (_, key: string) => {
    const value = values[key]
    if (value === undefined) throw new Error(`${template}: {{${key}}} has no value`)
    return value
  })
}
