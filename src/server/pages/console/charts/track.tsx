/** @jsxImportSource hono/jsx */
/**
 * A track of positions without a map: the places in the order of time, in a plane that is true to scale near their middle. The node
 * summarises them, so a track has at most some thousand places.
 */
import type { Language } from '../../../base/words.js'
import { numberText } from '../../events/eventValue.js'
import type { Chart } from './chartData.js'
import { chartWords } from './words.js'

/** Number of buckets of a track. */
export const TRACK_POINTS = 2000
const SIZE = 400
const ROOM = 14
/** Kilometres of a degree of latitude. */
const DEGREE_KM = 111.195
const RADIANS = Math.PI / 180
const FULL_TURN = 360

interface Position {
  latitude: number
  longitude: number
}

/**
 * Returns the places of the buckets in which both coordinates have values. Longitudes continue beyond 180° where the track crosses
 * it, so that it is one line.
 */
export function placesOf(latitude: Chart, longitude: Chart): Position[] {
  const at = new Map(longitude.buckets.index.map((bucket, n) => [bucket, n]))
  const places: Position[] = []
  for (const [n, bucket] of latitude.buckets.index.entries()) {
    const [north, east] = [latitude.buckets.mean[n], longitudeAt(longitude, at.get(bucket))]
    if (typeof north !== 'number' || typeof east !== 'number') continue
    const before = places.at(-1)?.longitude ?? east
    places.push({ latitude: north, longitude: east + FULL_TURN * Math.round((before - east) / FULL_TURN) })
  }
  return places
}

/** Returns the longitude of a bucket: the mean, which for values on both sides of 180° is not between them, else the greatest. */
function longitudeAt({ buckets: { min, max, mean } }: Chart, n: number | undefined): number | null | undefined {
  if (n === undefined) return undefined
  const [west, east] = [min[n], max[n]]
  return typeof west === 'number' && typeof east === 'number' && east - west > FULL_TURN / 2 ? east : mean[n]
}

/** Returns the length of a track in kilometres, by great circles. */
export function lengthOf(places: readonly Position[]): number {
  return places.slice(1).reduce((sum, place, n) => sum + distance(places[n] ?? place, place), 0)
}

function distance(a: Position, b: Position): number {
  const [from, to] = [a.latitude * RADIANS, b.latitude * RADIANS]
  const half = Math.sin((to - from) / 2) ** 2 + Math.cos(from) * Math.cos(to) * Math.sin(((b.longitude - a.longitude) * RADIANS) / 2) ** 2
  return (2 * DEGREE_KM * Math.asin(Math.min(1, Math.sqrt(half)))) / RADIANS
}

/** Returns the length of the scale bar for a width in kilometres: 1, 2 or 5 times a power of ten, at most a third of it. */
export function scaleFor(width: number): number {
  const third = width / 3
  const power = 10 ** Math.floor(Math.log10(third))
  return ([5, 2].find((step) => step * power <= third) ?? 1) * power
}

const lengthText = (km: number, language: Language): string =>
  km < 1 ? `${numberText(Math.round(km * 1000), language)} m` : `${numberText(Number(km.toPrecision(3)), language)} km`

export function Track({ language, title, places }: { language: Language; title: string; places: readonly Position[] }) {
  const words = chartWords[language]
  const [first, last] = [places[0], places.at(-1)]
  if (first === undefined || last === undefined) return <></>
  const latitudes = places.map((place) => place.latitude)
  const longitudes = places.map((place) => place.longitude)
  const [south, north, west, east] = [Math.min(...latitudes), Math.max(...latitudes), Math.min(...longitudes), Math.max(...longitudes)]
  const narrowing = Math.max(0.01, Math.cos(((south + north) / 2) * RADIANS))
  // A track of one place has an area of about 100 metres.
  const extent = Math.max(north - south, (east - west) * narrowing, 0.001)
  const perDegree = (SIZE - 2 * ROOM) / extent
  const x = ({ longitude }: Position): string => (SIZE / 2 + (longitude - (west + east) / 2) * narrowing * perDegree).toFixed(1)
  const y = ({ latitude }: Position): string => (SIZE / 2 - (latitude - (south + north) / 2) * perDegree).toFixed(1)
  const scale = scaleFor(extent * DEGREE_KM)
  const text = words.trackText(places.length, lengthText(lengthOf(places), language))
  return (
    <figure class="track">
      <svg viewBox={`0 0 ${SIZE} ${SIZE}`} role="img" aria-label={`${title}: ${text}`}>
        <path class="path" d={`M${places.map((place) => `${x(place)} ${y(place)}`).join('L')}${places.length === 1 ? 'h0' : ''}`} />
        <circle class="start" cx={x(first)} cy={y(first)} r="6" />
        <rect class="end" x={(Number(x(last)) - 5).toFixed(1)} y={(Number(y(last)) - 5).toFixed(1)} width="10" height="10" />
        <path class="scale" d={`M${ROOM} ${SIZE - 6}v-6M${ROOM} ${SIZE - 6}h${((scale / DEGREE_KM) * perDegree).toFixed(1)}v-6`} />
        <text x={String(ROOM + 4)} y={String(SIZE - 14)}>
          {lengthText(scale, language)}
        </text>
      </svg>
      <figcaption class="small soft">
        <span class="mark-start">{words.start}</span> <span class="mark-end">{words.end}</span> · {text}
      </figcaption>
    </figure>
  )
}
