/** The few icons of the portal. Each stands with a word, or with an accessible name where it is a button. */
import {
  Activity,
  ArrowLeft,
  Bell,
  Building2,
  Check,
  ChevronDown,
  ChevronRight,
  ChevronUp,
  CircleAlert,
  CircleUser,
  Columns3,
  Copy,
  Download,
  Ellipsis,
  Filter,
  Gauge,
  History,
  KeyRound,
  Languages,
  LogOut,
  type LucideIcon,
  Map as MapIcon,
  Maximize2,
  Moon,
  Pause,
  Pencil,
  Play,
  Plus,
  Radio,
  RefreshCw,
  ScrollText,
  Search,
  Settings,
  Shapes,
  SunMedium,
  Tag,
  Trash2,
  Undo2,
  Upload,
  Users,
  WifiOff,
  X,
} from 'lucide-preact'

const ICONS = {
  activity: Activity,
  back: ArrowLeft,
  bell: Bell,
  enterprise: Building2,
  check: Check,
  down: ChevronDown,
  forward: ChevronRight,
  up: ChevronUp,
  alert: CircleAlert,
  account: CircleUser,
  columns: Columns3,
  copy: Copy,
  download: Download,
  more: Ellipsis,
  filter: Filter,
  overview: Gauge,
  history: History,
  key: KeyRound,
  language: Languages,
  signOut: LogOut,
  map: MapIcon,
  zoomOut: Maximize2,
  dark: Moon,
  pause: Pause,
  edit: Pencil,
  play: Play,
  add: Plus,
  sensor: Radio,
  reload: RefreshCw,
  audit: ScrollText,
  search: Search,
  settings: Settings,
  zones: Shapes,
  light: SunMedium,
  tag: Tag,
  remove: Trash2,
  undo: Undo2,
  upload: Upload,
  members: Users,
  offline: WifiOff,
  close: X,
} satisfies Record<string, LucideIcon>

export type IconName = keyof typeof ICONS

/** Icons that point along the reading direction: mirrored from right to left. */
const DIRECTIONAL = new Set<IconName>(['back', 'forward', 'signOut', 'undo'])

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  const Drawing = ICONS[name]
  return (
    <span class={DIRECTIONAL.has(name) ? 'icon icon-directional' : 'icon'} aria-hidden="true">
      <Drawing size={size} strokeWidth={1.75} />
    </span>
  )
}
