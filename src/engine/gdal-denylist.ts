/** GDAL drivers that open other files or network addresses. Worker processes disable them with GDAL_SKIP. */
export const SKIPPED_DRIVERS = [
  ...['VRT', 'OGR_VRT', 'DERIVED', 'WMS', 'WCS', 'WMTS', 'WFS', 'OAPIF', 'OGCAPI', 'HTTP', 'CSW', 'GMLAS', 'NAS'],
  ...['Elasticsearch', 'Carto', 'AmigoCloud', 'PLSCENES', 'NGW', 'EEDA', 'EEDAI', 'DAAS', 'STACTA', 'STACIT', 'MRF'],
  ...['PostGISRaster', 'PostgreSQL', 'MySQL', 'MSSQLSpatial', 'ODBC', 'PGeo', 'OGR_PDS', 'OGR_OGDI', 'PLMOSAIC'],
]
