/** Messages between the page and the worker of the live assets. Questions carry a number that the answer repeats. */
import type { Polygon } from 'geojson'
import type { Asset, Filter, Moved, StateChange, Summary } from './asset-index.ts'
import type { Clusters, MapView } from './clusters.ts'

export type Question =
  | { kind: 'load'; url: string; headers: Record<string, string> }
  | { kind: 'change'; moved: Moved[]; removed: string[]; states: StateChange[] }
  | { kind: 'filter'; filter: Filter }
  /** The assets to which the page is limited are loaded from an address. */
  | { kind: 'limit'; url: string | undefined; headers: Record<string, string> }
  /** Newest values of a channel, loaded from an address; without it, assets have the colours of their states. */
  | { kind: 'values'; url: string | undefined; headers: Record<string, string> }
  | { kind: 'clusters'; view: MapView }
  | { kind: 'rows'; from: number; to: number }
  | { kind: 'find'; id: string }
  | { kind: 'box' }
  | { kind: 'inside'; polygons: Polygon['coordinates'][]; most: number }

export type Answers = {
  load: Summary
  change: Summary
  filter: Summary
  limit: Summary
  values: Summary
  clusters: Clusters
  rows: Asset[]
  find: { asset: Asset; row: number; drawnAs: string } | undefined
  box: [number, number, number, number] | undefined
  inside: { count: number; assets: Asset[] }
}
