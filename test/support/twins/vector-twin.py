"""Reads vector files by the standards of their formats, without GDAL, and writes and reads them with GDAL's older release.

Takes tasks as lines of JSON and prints a line for each. Geometries are well-known binary (ISO) in hexadecimal digits.
"""
import json, os, sqlite3, struct, sys, zipfile
from osgeo import gdal, ogr, osr
from vector_twin_xml import hexed, read_gml, read_kml

gdal.UseExceptions()
ogr.UseExceptions()
gdal.PushErrorHandler('CPLQuietErrorHandler')
NAMES = ['', 'Point', 'LineString', 'Polygon', 'MultiPoint', 'MultiLineString', 'MultiPolygon', 'GeometryCollection']


def unpack(data, at=0):
    """@returns the shape, whether it has heights, and the offset after it"""
    order = '<' if data[at] == 1 else '>'
    (code,) = struct.unpack_from(order + 'I', data, at + 1)
    z, m = code // 1000 % 2 == 1 or code >> 31, code // 1000 % 4 >= 2
    kind, at = code % 1000, at + 5
    axes = 2 + bool(z) + bool(m)

    def count():
        nonlocal at
        at += 4
        return struct.unpack_from(order + 'I', data, at - 4)[0]

    def positions(n):
        nonlocal at
        found = []
        for _ in range(n):
            values = struct.unpack_from('%s%dd' % (order, axes), data, at)
            found.append(list(values[: 3 if z else 2]))
            at += 8 * axes
        return found

    if kind == 1:
        (p,) = positions(1)
        return (1, None if p[0] != p[0] else p), z, at
    if kind == 2:
        return (2, positions(count())), z, at
    if kind == 3:
        return (3, [positions(count()) for _ in range(count())]), z, at
    parts = []
    for _ in range(count()):
        shape, _z, at = unpack(data, at)
        parts.append(shape if kind == 7 else shape[1])
    return (kind, parts), z, at


def from_geojson(geometry):
    if geometry is None:
        return None
    kind = NAMES.index(geometry['type'])
    if kind == 7:
        return (7, [from_geojson(g) for g in geometry['geometries']])
    return (kind, geometry['coordinates'])


def read_geojson(path):
    root = json.load(open(path, encoding='utf-8-sig'))
    rows = [(f.get('properties') or {}, hexed(from_geojson(f['geometry']))) for f in root['features']]
    return rows, [f.get('id') for f in root['features']]


def area(ring):
    return sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(ring, ring[1:]))


def shape_of(record):
    (kind,) = struct.unpack_from('<i', record, 0)
    if kind == 0:
        return None, False
    base, z = kind % 10, 10 < kind < 20
    if base == 1:
        return (1, list(struct.unpack_from('<3d' if z else '<2d', record, 4))), z
    if base == 8:
        (n,) = struct.unpack_from('<i', record, 36)
        starts, at = [0], 40
    else:
        parts, n = struct.unpack_from('<2i', record, 36)
        starts, at = list(struct.unpack_from('<%di' % parts, record, 44)), 44 + 4 * parts
    xy = [list(struct.unpack_from('<2d', record, at + 16 * i)) for i in range(n)]
    if z:
        heights = struct.unpack_from('<%dd' % n, record, at + 16 * n + 16)
        for p, height in zip(xy, heights):
            p.append(height)
    runs = [xy[a:b] for a, b in zip(starts, starts[1:] + [n])]
    if base == 8:
        return (4, xy), z
    if base == 3:
        return ((2, runs[0]) if len(runs) == 1 else (5, runs)), z
    polygons = []
    for ring in runs:
        if area(ring) < 0 or not polygons:
            polygons.append([ring])
        else:
            # holes of the tests are boxes in boxes
            inside = lambda outer: min(p[0] for p in outer) <= ring[0][0] <= max(p[0] for p in outer)
            next(polygon for polygon in polygons if inside(polygon[0])).append(ring)
    return ((3, polygons[0]) if len(polygons) == 1 else (6, polygons)), z


ENCODINGS = {0x57: 'cp1252', 0x03: 'cp1252', 0x65: 'cp866', 0xC9: 'cp1251'}


def read_shapefile(files):
    """@param files bytes by extension. Shapefile Technical Description (ESRI, 1998) and dBase III."""
    shp, dbf = files['shp'], files['dbf']
    label = files.get('cpg', b'').decode().strip()
    encoding = {'': ENCODINGS.get(dbf[29])}.get(label, label if not label.isdigit() else 'cp' + label)
    if encoding is None:
        # docs/formats.md
        try:
            (start,) = struct.unpack_from('<H', dbf, 8)
            texts = [dbf[start:]] + [dbf[at : at + 11] for at in range(32, start - 1, 32)]
            encoding = b' '.join(texts).decode('utf-8') and 'utf-8'
        except UnicodeDecodeError:
            encoding = 'cp1252'
    shapes, at = [], 100
    while at < len(shp):
        (words,) = struct.unpack_from('>i', shp, at + 4)
        shapes.append(shape_of(shp[at + 8 : at + 8 + 2 * words]))
        at += 8 + 2 * words
    (count, head, width) = struct.unpack_from('<IHH', dbf, 4)
    fields, at = [], 32
    while dbf[at] != 0x0D:
        name = dbf[at : at + 11].split(b'\0')[0].decode(encoding)
        fields.append((name, chr(dbf[at + 11]), dbf[at + 16], dbf[at + 17]))
        at += 32
    rows = []
    for i in range(count):
        row, at = {}, head + i * width + 1
        if dbf[at - 1 : at] == b'*':
            continue
        for name, kind, size, decimals in fields:
            text = dbf[at : at + size].rstrip(b'\0').decode(encoding)
            at += size
            if kind == 'C':
                value = text.rstrip(' ') or None
            elif kind == 'D':
                value = '%s-%s-%s' % (text[:4], text[4:6], text[6:]) if text.strip(' 0*') else None
            elif kind == 'L':
                value = None if text.strip(' ?') == '' else text in 'TtYy'
            else:
                value = None if text.strip(' *') == '' else float(text) if decimals or '.' in text or 'e' in text else int(text)
            row[name] = value
        shape, z = shapes[i]
        rows.append((row, hexed(shape, z)))
    return rows, None


def read_geopackage(path):
    """OGC 12-128r19"""
    db = sqlite3.connect(path)
    table, column = db.execute('SELECT table_name, column_name FROM gpkg_geometry_columns').fetchone()
    info = db.execute('SELECT name, pk FROM pragma_table_info(?)', (table,)).fetchall()
    (key,) = [name for name, pk in info if pk]
    quoted = lambda name: '"%s"' % name.replace('"', '""')
    names = [name for name, pk in info if not pk and name != column]
    rows, ids = [], []
    columns = ', '.join(map(quoted, [key, column, *names]))
    for id, blob, *values in db.execute('SELECT %s FROM %s ORDER BY 1' % (columns, quoted(table))):
        geometry = None
        if blob is not None:
            start = 8 + [0, 32, 48, 48, 64][blob[3] >> 1 & 7]
            shape, z, _ = unpack(blob, start)
            geometry = hexed(shape, z)
        rows.append((dict(zip(names, values)), geometry))
        ids.append(id)
    db.close()
    return rows, ids


FIELDS = {
    'integer': (ogr.OFTInteger, 0), 'integer64': (ogr.OFTInteger64, 0), 'real': (ogr.OFTReal, 0), 'string': (ogr.OFTString, 0),
    'boolean': (ogr.OFTInteger, ogr.OFSTBoolean), 'date': (ogr.OFTDate, 0), 'datetime': (ogr.OFTDateTime, 0), 'time': (ogr.OFTTime, 0),
    'float32': (ogr.OFTReal, ogr.OFSTFloat32), 'int16': (ogr.OFTInteger, ogr.OFSTInt16),
}


def reference(code):
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(code)
    srs.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    return srs


def write(task):
    layer = task['layer']
    source = ogr.GetDriverByName(task['driver']).CreateDataSource(task['path'], options=task.get('dataset', []))
    kind = getattr(ogr, 'wkb' + task['kind'])
    made = source.CreateLayer('layer', reference(layer['crs']), kind, options=task.get('options', []))
    for name, type in layer['fields']:
        field = ogr.FieldDefn(name, FIELDS[type][0])
        field.SetSubType(FIELDS[type][1])
        made.CreateField(field)
    for row in layer['features']:
        feature = ogr.Feature(made.GetLayerDefn())
        for i, value in enumerate(row['values']):
            if value is not None:
                feature.SetField(i, value)
            elif task.get('nulls'):
                feature.SetFieldNull(i)
        if row['geometry'] is not None:
            feature.SetGeometry(ogr.CreateGeometryFromWkb(bytes.fromhex(row['geometry'])))
        made.CreateFeature(feature)
    feature = made = source = None
    if 'zip' in task:
        with zipfile.ZipFile(task['zip'], 'w') as archive:
            for name in sorted(os.listdir(os.path.dirname(task['path']))):
                stem, extension = name.rsplit('.', 1)
                if extension in task['extensions']:
                    file = os.path.join(os.path.dirname(task['path']), name)
                    archive.write(file, '%s.%s' % (stem, extension.upper() if task.get('upper') else extension))


def moment(year, month, day, hour, minute, second, zone):
    minutes = (zone - 100) * 15
    offset = '' if zone < 2 else 'Z' if zone == 100 else '%s%02d:%02d' % ('-' if minutes < 0 else '+', *divmod(abs(minutes), 60))
    return '%04d-%02d-%02dT%02d:%02d:%06.3f%s' % (year, month, day, hour, minute, second, offset)


def with_gdal(path, drivers):
    source = gdal.OpenEx(path, gdal.OF_VECTOR, allowed_drivers=drivers)
    layer = source.GetLayer(0)
    rows, ids = [], []
    for feature in layer:
        items = {}
        for i in range(feature.GetFieldCount()):
            definition = feature.GetFieldDefnRef(i)
            value = None if not feature.IsFieldSetAndNotNull(i) else feature.GetField(i)
            if value is not None and definition.GetType() == ogr.OFTDateTime:
                value = moment(*feature.GetFieldAsDateTime(i))
            elif value is not None and definition.GetType() == ogr.OFTDate:
                value = value.replace('/', '-')
            name = definition.GetName()
            items[{'Name': 'name'}.get(name, name)] = value
        geometry = feature.GetGeometryRef()
        if geometry is not None:
            geometry.SetMeasured(False)
            geometry = bytes(geometry.ExportToIsoWkb(ogr.wkbNDR)).hex()
        rows.append((items, geometry))
        ids.append(feature.GetFID())
    srs = layer.GetSpatialRef()
    code = srs and srs.GetAuthorityCode(None)
    return rows, ids, code and int(code)


def files_of(path):
    archive = zipfile.ZipFile(path)
    return {name.rsplit('.', 1)[-1].lower(): archive.read(name) for name in archive.namelist()}


def read(task):
    path, kind = task['path'], task['kind']
    if kind == 'gdal':
        rows, ids, crs = with_gdal(path, task['drivers'])
        return {'rows': rows, 'ids': ids, 'crs': crs}
    if kind == 'shp':
        rows, ids = read_shapefile(files_of(path))
    elif kind == 'gpkg':
        rows, ids = read_geopackage(path)
    elif kind == 'geojson':
        rows, ids = read_geojson(path)
    elif kind == 'kml':
        rows, ids = read_kml(open(path, 'rb').read())
    elif kind == 'kmz':
        rows, ids = read_kml(zipfile.ZipFile(path).read('doc.kml'))
    else:
        rows, ids = read_gml(files_of(path)['gml'] if path.endswith('.zip') else open(path, 'rb').read())
    return {'rows': rows, 'ids': ids}


for line in open(sys.argv[1], encoding='utf-8'):
    task = json.loads(line)
    try:
        done = write(task) if 'driver' in task else read(task)
    except Exception as error:
        done = {'rows': [], 'failed': '%s: %s' % (type(error).__name__, error)}
    print(json.dumps(done))
