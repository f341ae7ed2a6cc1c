/** Real readings from the vega-datasets package, in the form in which sensors send them. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Papa from 'papaparse'
import { formatTimestamp } from '../ingest/timestamp.ts'

export type DemoReading = { at: string; values: Record<string, number | boolean>; location?: [number, number] }
export type DemoSensor = {
  assetName: string
  channels: { name: string; measurement: 'number' | 'whole' | 'boolean'; unit?: string }[]
  readings: DemoReading[]
}

const DATA = join(dirname(Bun.resolveSync('vega-datasets/package.json', import.meta.dir)), 'data')
const SEATTLE: [number, number] = [-122.3088, 47.4502]
const NEW_YORK: [number, number] = [-73.7781, 40.6413]

function csv<Row>(name: string): Row[] {
  return Papa.parse<Row>(readFileSync(join(DATA, name), 'utf8'), { header: true, skipEmptyLines: true }).data
}

/** NOAA's hourly climate normals of Seattle-Tacoma airport, in standard time. */
function seattleHourly(): DemoSensor {
  const rows = csv<{ date: string; pressure: string; temperature: string; wind: string }>(
    'seattle-weather-hourly-normals.csv',
  )
  return {
    assetName: 'Seattle-Tacoma airport, hourly normals',
    channels: [
      { name: 'pressure', measurement: 'number', unit: 'hPa' },
      { name: 'temperature', measurement: 'number', unit: '°C' },
      { name: 'wind', measurement: 'number', unit: 'm/s' },
    ],
    readings: rows.map(({ date, pressure, temperature, wind }) => ({
      at: `${date}-08:00`,
      values: { pressure: Number(pressure), temperature: Number(temperature), wind: Number(wind) },
      location: SEATTLE,
    })),
  }
}

/** NOAA's daily records of a city, 2012 to 2015. */
function daily(city: 'Seattle' | 'New York', offset: string, location: [number, number]): DemoSensor {
  type Row = Record<'location' | 'date' | 'precipitation' | 'temp_max' | 'temp_min' | 'wind' | 'weather', string>
  return {
    assetName: `${city}, daily weather`,
    channels: [
      { name: 'precipitation', measurement: 'number', unit: 'mm' },
      { name: 'temperature max', measurement: 'number', unit: '°C' },
      { name: 'temperature min', measurement: 'number', unit: '°C' },
      { name: 'wind', measurement: 'number', unit: 'm/s' },
      { name: 'wet', measurement: 'boolean' },
    ],
    readings: csv<Row>('weather.csv')
      .filter((row) => row.location === city)
      .map((row) => ({
        at: `${row.date}T12:00:00${offset}`,
        values: {
          precipitation: Number(row.precipitation),
          'temperature max': Number(row.temp_max),
          'temperature min': Number(row.temp_min),
          wind: Number(row.wind),
          wet: Number(row.precipitation) > 0,
        },
        location,
      })),
  }
}

/** One week of earthquakes worldwide from the USGS, as the readings of one sensor. */
function earthquakes(): DemoSensor {
  type Feature = {
    properties: { mag: number | null; time: number }
    geometry: { coordinates: [number, number, number] }
  }
  const { features } = JSON.parse(readFileSync(join(DATA, 'earthquakes.json'), 'utf8')) as { features: Feature[] }
  return {
    assetName: 'USGS earthquakes, one week of 2018',
    channels: [
      { name: 'magnitude', measurement: 'number' },
      { name: 'depth', measurement: 'number', unit: 'km' },
    ],
    readings: features
      .filter(({ properties }) => properties.mag !== null)
      .sort((a, b) => a.properties.time - b.properties.time)
      .map(({ properties, geometry: { coordinates } }) => ({
        at: formatTimestamp(properties.time),
        values: { magnitude: properties.mag as number, depth: coordinates[2] },
        location: [coordinates[0], coordinates[1]],
      })),
  }
}

export function demoSensors(): DemoSensor[] {
  return [seattleHourly(), daily('Seattle', '-08:00', SEATTLE), daily('New York', '-05:00', NEW_YORK), earthquakes()]
}
