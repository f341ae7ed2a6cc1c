/** Chooses the asset of a dashboard's panels, by its name. */
import { useState } from 'preact/hooks'
import { useResource } from '../../api/resource.ts'
import { addressWith } from '../../shell/router.ts'
import { enterpriseId } from '../../shell/session.ts'
import { t } from '../../text/text.ts'
import { Icon } from '../../ui/icon.tsx'
import { Menu } from '../../ui/menu.tsx'
import { assetName, findAssets } from './dashboard-data.ts'

export function AssetFilter({ assetId }: { assetId: string | undefined }) {
  return assetId === undefined ? <AssetMenu /> : <ChosenAsset id={assetId} />
}

function ChosenAsset({ id }: { id: string }) {
  const name = useResource((signal) => assetName(id, signal), [id])
  return (
    <a class="chip" aria-current="true" href={addressWith({ asset: undefined })} title={t('sensors.removeFilter')}>
      <bdi class="cut">{name.data.value ?? id}</bdi>
      <Icon name="close" size={14} />
    </a>
  )
}

function AssetMenu() {
  const [q, setQ] = useState('')
  const found = useResource((signal) => findAssets(q, signal), [enterpriseId.value, q])
  const items = found.data.value
  if (items === undefined || (items.length === 0 && q === '')) return null
  return (
    <Menu
      label={t('dashboards.filterByAsset')}
      align="end"
      button={
        <>
          <span>{t('dashboards.asset')}</span>
          <Icon name="down" />
        </>
      }
      search={{ label: t('dashboards.findAsset'), value: q, onInput: setQ }}
      items={items.map(({ id, name }) => ({
        label: <bdi class="cut">{name}</bdi>,
        onSelect: addressWith({ asset: id }),
      }))}
    />
  )
}
