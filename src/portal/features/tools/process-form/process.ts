/** A tool as GET /enterprise/v1/gis/processes/{id} describes it: all that its form is made from. */

/** The keywords of JSON Schema that tools use. */
export type Schema = {
  type?: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'null'
  description?: string
  default?: unknown
  examples?: unknown[]
  enum?: string[]
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  multipleOf?: number
  minLength?: number
  maxLength?: number
  pattern?: string
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean
  patternProperties?: Record<string, Schema>
  maxProperties?: number
  anyOf?: Schema[]
  contentEncoding?: string
  contentMediaType?: string
  'x-svc-enumTitles'?: Record<string, string>
}

export type ProcessInput = {
  title: string
  description: string
  minOccurs: number
  maxOccurs: number
  schema: Schema
  /** The field applies only while another field has this value. */
  'x-svc-usedWhen'?: { field: string; equals: string | boolean }
  /** The field that holds the unit of this one. */
  'x-svc-unitInput'?: string
  /** The unit of the bounds, whatever unit is chosen. */
  'x-svc-boundsUnit'?: string
  /** The value is the name of a column, or a list of names, of the file in another field. */
  'x-svc-columnOf'?: string
  'x-svc-encoding'?: 'json-text'
  'x-svc-enumTitles'?: Record<string, string>
  'x-svc-maxBytes'?: number
  /** The field also takes the id of a layer. */
  'x-svc-layerId'?: string
}

export type DataKind = 'vector' | 'raster' | 'image' | 'document' | 'table' | 'json'

export type ProcessSummary = {
  id: string
  title: string
  description: string
  version: string
  keywords: string[]
  jobControlOptions: string[]
  svc: {
    toolKey: string
    execution: 'multipart/form-data' | 'application/json'
    limited: boolean
    credits: number
    input: DataKind
    output: DataKind
    aliases: string[]
  }
  links: { rel: string; href: string; type: string }[]
}

export type ProcessDescription = ProcessSummary & {
  inputs: Record<string, ProcessInput>
  outputs: { result: { title: string; schema: Schema } }
}

export const isFile = ({ schema }: ProcessInput): boolean => schema.contentEncoding === 'binary'
export const takesSeveral = (input: ProcessInput): boolean => isFile(input) && input.maxOccurs > 1

/** The address below the server that runs a tool. */
export const addressOf = ({ links }: ProcessSummary): string =>
  links.find(({ rel }) => rel.endsWith('/execute'))?.href ?? ''
