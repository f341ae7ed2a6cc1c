"""Random GeoTIFFs of every kind with GDAL's and numpy's results for them, and cells of results, for raster-twins.test.ts."""
import json, math, random, sys
import numpy as np
from osgeo import gdal, gdal_array, osr

gdal.UseExceptions()
gdal.SetConfigOption('GDAL_PAM_ENABLED', 'NO')
gdal.SetConfigOption('GDAL_TIFF_INTERNAL_MASK', 'YES')
TYPES = ['u1', 'i1', 'u2', 'i2', 'u4', 'i4', 'u8', 'i8', 'f4', 'f8']
NODATA = [None, 0, 7, -1, 255, -9999, 0.5, float('nan'), -3.4028234663852886e38, 1e20, 65535]


def cells_of(rng, dtype, bits, shape):
    kind = np.dtype(dtype).kind
    ramp = np.add.outer(np.arange(shape[0]) * rng.uniform(-3, 3), np.arange(shape[1]) * rng.uniform(-3, 3))
    noise = np.array([rng.gauss(0, 2) for _ in range(shape[0] * shape[1])]).reshape(shape)
    values = ramp + noise + (20 if kind == 'u' else 0)
    if kind == 'f':
        return (values * 10.0 ** rng.randint(-2, 6)).astype(dtype)
    info = np.iinfo(dtype)
    low, high = (0, 2**bits - 1) if bits else (max(info.min, -(2**53)), min(info.max, 2**53))
    if rng.random() < 0.3 and high < 2**20:
        values = values * (high - low) / 100
    return np.clip(np.round(values), low, high).astype(dtype)


def make(rng, path):
    dtype = rng.choice(TYPES)
    kind, size = np.dtype(dtype).kind, np.dtype(dtype).itemsize
    shape, bands = (rng.randint(3, 40), rng.randint(3, 40)), rng.choice([1, 1, 1, 2, 3, 4])
    bits = rng.randint(1, 8 * size - 1) if kind == 'u' and size <= 2 and rng.random() < 0.2 else 0
    nodata = rng.choice(NODATA)
    if nodata is not None and size == 8 and kind != 'f':
        nodata = rng.choice([None, 0, 7])
    memory = gdal.GetDriverByName('MEM').Create('', shape[1], shape[0], bands, gdal_array.NumericTypeCodeToGDALTypeCode(np.uint8 if dtype == 'i1' else np.dtype(dtype)))
    turn = rng.uniform(-1, 1) if rng.random() < 0.25 else 0
    side, up = rng.choice([0.5, 10, 1000]), rng.choice([1, 1, 1, -1])
    cos, sin = math.cos(turn) * side, math.sin(turn) * side
    memory.SetGeoTransform([400000, cos, sin, 5800000, sin, -cos * up] if turn else [400000, side, 0, 5800000, 0, -side * up])
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(25833)
    memory.SetProjection(srs.ExportToWkt())
    for number in range(1, bands + 1):
        cells = cells_of(rng, dtype, bits, shape)
        if nodata is not None and (kind == 'f' or (nodata == nodata and float(nodata).is_integer() and np.iinfo(dtype).min <= nodata <= np.iinfo(dtype).max)):
            if not bits or 0 <= nodata < 2**bits:
                cells[np.array([rng.random() < 0.2 for _ in range(cells.size)]).reshape(shape)] = nodata
        band = memory.GetRasterBand(number)
        band.WriteArray(cells.view('u1') if dtype == 'i1' else cells)
        if nodata is not None:
            band.SetNoDataValue(int(nodata)) if size == 8 and kind != 'f' else band.SetNoDataValue(nodata)
        if rng.random() < 0.2:
            band.SetScale(0.1), band.SetOffset(5)
    if nodata is None and rng.random() < 0.3:
        memory.CreateMaskBand(gdal.GMF_PER_DATASET)
        mask = np.array([255 * (rng.random() < 0.7) for _ in range(shape[0] * shape[1])], dtype='u1').reshape(shape)
        memory.GetRasterBand(1).GetMaskBand().WriteArray(mask)
    options = ['PIXELTYPE=SIGNEDBYTE'] if dtype == 'i1' else [f'NBITS={bits}'] if bits else []
    options += ['COMPRESS=' + rng.choice(['NONE', 'LZW', 'DEFLATE', 'ZSTD', 'PACKBITS']), 'INTERLEAVE=' + rng.choice(['BAND', 'PIXEL'])]
    options += rng.choice([[], ['TILED=YES', 'BLOCKXSIZE=16', 'BLOCKYSIZE=16'], ['BLOCKYSIZE=1'], ['ENDIANNESS=BIG'], ['BIGTIFF=YES']])
    gdal.GetDriverByName('GTiff').CreateCopy(path, memory, options=options)
    return {'type': dtype, 'bits': bits, 'nodata': str(nodata), 'options': options, 'turned': turn != 0, 'up': up}


def read(path, number):
    """The cells, and whether each has a value."""
    dataset = gdal.Open(path)
    band = dataset.GetRasterBand(number)
    signed = band.GetMetadataItem('PIXELTYPE', 'IMAGE_STRUCTURE') == 'SIGNEDBYTE'
    cells, mask = band.ReadAsArray(), band.GetMaskBand().ReadAsArray() != 0
    cells = cells.view('i1') if signed else cells
    nodata = band.GetNoDataValue()
    if nodata is not None and (signed or (cells.dtype.kind != 'f' and nodata % 1 != 0)):
        # GDAL's mask has unsigned bytes, and cuts off fractions, which its statistics do not
        mask = cells != nodata
    return cells, mask & (~np.isnan(cells) if cells.dtype.kind == 'f' else True)


def figures(cells):
    values = cells.astype('f8')
    if values.size == 0:
        return {'count': 0}
    return {'count': int(values.size), 'min': values.min(), 'max': values.max(), 'mean': values.mean(), 'std': values.std(), 'median': float(np.median(values))}


def zone(rng, dataset, cells, valid):
    """A star in the raster, as positions in its CRS, and the figures of the cells whose centres are in it."""
    rows, columns = cells.shape
    middle = (rng.uniform(0, columns), rng.uniform(0, rows))
    radius, corners = rng.uniform(1, 20), rng.randint(3, 12)
    ring = []
    for k in range(corners):
        length = radius * rng.uniform(0.4, 1)
        ring.append((middle[0] + length * math.cos(2 * math.pi * k / corners), middle[1] + length * math.sin(2 * math.pi * k / corners)))
    x, y = np.meshgrid(np.arange(columns) + 0.5, np.arange(rows) + 0.5)
    inside = np.zeros(cells.shape, dtype=bool)
    for (x1, y1), (x2, y2) in zip(ring, ring[1:] + ring[:1]):
        if y1 != y2:
            inside ^= ((y1 > y) != (y2 > y)) & (x < x1 + (y - y1) / (y2 - y1) * (x2 - x1))
    a = dataset.GetGeoTransform()
    ring = [[a[0] + c * a[1] + r * a[2], a[3] + c * a[4] + r * a[5]] for c, r in ring + ring[:1]]
    return ring, figures(cells[inside & valid])


def shaded(path, number, up):
    """gdaldem takes every raster for one whose rows go south."""
    dataset = gdal.Open(path)
    cells, valid = read(path, number)
    if up < 0:
        cells, valid = cells[::-1], valid[::-1]
    memory = gdal.GetDriverByName('MEM').Create('', cells.shape[1], cells.shape[0], 1, gdal.GDT_Float64)
    a = dataset.GetGeoTransform()
    memory.SetGeoTransform([a[0], a[1], 0, a[3], 0, -abs(a[5])])
    memory.GetRasterBand(1).SetNoDataValue(-1e300)
    memory.GetRasterBand(1).WriteArray(np.where(valid, cells.astype('f8'), -1e300))
    shade = gdal.DEMProcessing('', memory, 'hillshade', format='MEM').ReadAsArray()
    return (shade[::-1] if up < 0 else shade).flatten().tolist()


def made(seed, count, folder):
    rng, made = random.Random(seed), []
    for i in range(count):
        path = f'{folder}/{i}.tif'
        facts = make(rng, path)
        dataset = gdal.Open(path)
        bands = [figures(cells[valid]) for cells, valid in (read(path, n + 1) for n in range(dataset.RasterCount))]
        number = rng.randint(1, dataset.RasterCount)
        ring, zonal = zone(rng, dataset, *read(path, number))
        shade = None if facts['turned'] else shaded(path, number, facts['up'])
        made.append({'path': path, 'facts': facts, 'bands': bands, 'band': number, 'ring': ring, 'zonal': zonal, 'shade': shade})
    return made


def same(before, after):
    """Whether two rasters have the same cells, places and descriptions."""
    one, other = gdal.Open(before), gdal.Open(after)
    differences = [] if one.GetGeoTransform() == other.GetGeoTransform() else ['transform']
    for number in range(1, one.RasterCount + 1):
        (cells, valid), (found, still) = read(before, number), read(after, number)
        if cells.dtype != found.dtype or not np.array_equal(valid, still) or not np.array_equal(cells[valid], found[still]):
            differences.append(f'cells of band {number}')
        a, b = one.GetRasterBand(number), other.GetRasterBand(number)
        if (a.GetScale(), a.GetOffset()) != (b.GetScale(), b.GetOffset()):
            differences.append(f'scale of band {number}')
        if str(a.GetNoDataValue()) != str(b.GetNoDataValue()):
            differences.append(f'nodata of band {number}')
    return differences


if sys.argv[1] == 'make':
    print(json.dumps(made(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])))
elif sys.argv[1] == 'same':
    print(json.dumps([same(*pair) for pair in json.load(sys.stdin)]))
else:
    print(json.dumps([gdal.Open(path).ReadAsArray().flatten().tolist() for path in json.load(sys.stdin)]))
