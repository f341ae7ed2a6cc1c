/**
 * Messages of The Things Stack, rebuilt from its documentation: "Data Formats",
 * https://www.thethingsindustries.com/docs/integrations/data-formats/
 */
const end_device_ids = {
  device_id: 'dev1',
  application_ids: { application_id: 'app1' },
  dev_eui: '0004A30B001C0530',
  join_eui: '800000000000000C',
  dev_addr: '00BCB929',
}

export const UPLINK = {
  end_device_ids,
  correlation_ids: ['as:up:01E0WZGT6Y7657CPFPE5WEYDSQ', 'gs:conn:01E0WDEC6T5T4XXBAX7S1VMFKE'],
  received_at: '2020-02-12T15:15:46.014773143Z',
  uplink_message: {
    session_key_id: 'AXA50tHUGUucuzS/bCGMNw==',
    f_cnt: 1,
    f_port: 1,
    frm_payload: 'gkHe',
    decoded_payload: { temperature: 1.0, luminosity: 0.64 },
    rx_metadata: [
      {
        gateway_ids: { gateway_id: 'gtw1', eui: '9C5C8E00001A05C4' },
        time: '2020-02-12T15:15:45.787Z',
        timestamp: 2463457000,
        rssi: -35,
        channel_rssi: -35,
        snr: 5.2,
        uplink_token: 'ChIKEAoEZ3R3MRIInFyOAAAaBcQQ6L3Vlgk=',
        channel_index: 2,
        location: {
          latitude: 37.97155556731436,
          longitude: 23.72678801175413,
          altitude: 2,
          source: 'SOURCE_REGISTRY',
        },
      },
    ],
    settings: {
      data_rate: { lora: { bandwidth: 125000, spreading_factor: 7 } },
      coding_rate: '4/6',
      frequency: '868300000',
      timestamp: 2463457000,
      time: '2020-02-12T15:15:45.787Z',
    },
    received_at: '2020-02-12T15:15:45.789585559Z',
    consumed_airtime: '0.056576s',
    network_ids: { net_id: '000013', tenant_id: 'tenant1', cluster_id: 'eu1' },
  },
}

export const JOIN_ACCEPT = {
  end_device_ids,
  correlation_ids: ['as:up:01E191YN5F2HMBQCBCVRF731VY', 'gs:conn:01E191S6ZEWB630NTR45K5QN4Q'],
  received_at: '2020-02-17T07:49:09.935284891Z',
  join_accept: { session_key_id: 'AXBSH1Pk6Z0G166RlH16CQ==', received_at: '2020-02-17T07:49:09.736532315Z' },
}
