/** The document of a dashboard: what its panels show, and where each stands. Published in the description of the API. */
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { closed } from './request-schemas.ts'

const choice = <const T extends readonly string[]>(values: T, description: string) =>
  Type.Union(
    values.map((value) => Type.Literal(value as T[number])),
    { description },
  )
const text = (maxLength: number, description: string) => Type.String({ minLength: 1, maxLength, description })
const whole = (minimum: number, maximum: number, description: string) => Type.Integer({ minimum, maximum, description })
const optional = <T extends TSchema>(schema: T) => Type.Optional(schema)

/** Sensors that one panel reads; a chart with more lines cannot be read. */
const MAX_PANEL_SENSORS = 100
const MAX_PANELS = 50

const selection = Type.Object(
  {
    sensorIds: optional(
      Type.Array(text(64, 'Id of a sensor'), {
        minItems: 1,
        maxItems: MAX_PANEL_SENSORS,
        uniqueItems: true,
        description: 'Only these sensors',
      }),
    ),
    tag: optional(text(50, 'Only sensors with this tag')),
    assetId: optional(text(64, 'Only sensors of this asset')),
    variables: optional(
      Type.Boolean({ description: 'Only sensors with the tag and of the asset that are chosen on the page' }),
    ),
  },
  { ...closed, description: 'The sensors that match every member; all sensors without a member' },
)

const panel = Type.Object(
  {
    id: text(40, 'Unique in the dashboard'),
    type: choice(['chart', 'number', 'table', 'states', 'map'], 'What the panel is'),
    title: optional(text(200, 'Title; the portal writes one from the channels by default')),
    x: whole(0, 11, 'First of the 12 columns'),
    y: whole(0, 1_000, 'First row'),
    w: whole(1, 12, 'Columns'),
    h: whole(1, 24, 'Rows'),
    sensors: optional(selection),
    channels: optional(
      Type.Array(text(200, 'Name of a channel'), {
        minItems: 1,
        maxItems: 8,
        uniqueItems: true,
        description: 'Channels of a chart, a number or a table',
      }),
    ),
    agg: optional(choice(['avg', 'min', 'max', 'sum', 'last'], 'Aggregate; avg by default, last for a number')),
    over: optional(
      choice(['sensors', 'none'], 'sensors: one value over all sensors of the panel; none (default): one for each'),
    ),
    compare: optional(
      choice(['period', 'none'], 'period (default): a number also says the change from the period before'),
    ),
    sort: optional(choice(['worst', 'highest', 'lowest', 'name'], 'Order of a table; worst states first by default')),
  },
  closed,
)

export const dashboardDocument = Type.Object(
  {
    version: Type.Literal(1, { description: 'Version of this schema' }),
    range: optional(text(40, 'Range of time, such as 1h, 24h, 7d or 30d; 24h by default')),
    variables: optional(
      Type.Object(
        {
          tag: optional(text(50, 'Tag that is chosen first')),
          assetId: optional(text(64, 'Asset that is chosen first')),
        },
        closed,
      ),
    ),
    panels: Type.Array(panel, { maxItems: MAX_PANELS }),
  },
  closed,
)
export type DashboardDocument = Static<typeof dashboardDocument>
